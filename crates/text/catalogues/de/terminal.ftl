Welcome = /help zeigt Befehle, exit oder Strg-D beendet, Alt-Enter beginnt eine neue Zeile, Strg-R durchsucht, was du getippt hast.
AtWork = { $seconds } s · Strg-C hält an
NotAnswered = das wird nicht beantwortet: Wer hier tippt, darf nicht mit dem Bot sprechen
NotStored = die Nachricht ließ sich nicht speichern, ich versuche es weiter: { $error }
ServerGone = der Server antwortet nicht, ich versuche es weiter
ServerBack = wieder mit dem Server verbunden
NotText = diese Zeile ist verloren: Sie ist kein UTF-8; stell die Kodierung des Terminals auf UTF-8 um
