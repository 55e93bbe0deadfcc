AboutChats = Unterhaltungen
AboutMemory = Was ich mir merke
AboutWork = Was ich gerade tue
AboutYou = Deine Konten und Daten
AboutOwner = Was Besitzer können
BeginPrivate = Schreib mir einfach: Ich antworte, merke mir Wichtiges und kann dich erinnern.
BeginShared = Erwähne mich oder antworte mir, dann antworte ich. Alle hier können es lesen.
Unknown = Zu `{ $topic }` habe ich keine Hilfe.
Leaving = `exit`, `quit` oder Strg-D beendet; Strg-C stoppt eine Antwort.
Owner = **Was Besitzer können**

    - `/pair`: sehen, wer zugelassen werden möchte, und entscheiden
    - Erlauben oder ablehnen, was ich andere frage, egal wo ich frage

    Wo ich laufe, zeigt `clifford --help` alles Weitere: Personen, Regeln, Budgets, Einstellungen.
Managers = Wer diesen Ort verwaltet, darf hier für alle erlauben und ablehnen.
Line = `/{ $form }`: { $about }
LineInPrivate = `/{ $form }`: { $about } (im privaten Chat mit mir)
HowToAsk = Schreib deine Frage dahinter, zum Beispiel `/ask wie weit ist der Mond entfernt?`.
NoSuchCommand = Den Befehl `/{ $name }` kenne ich nicht. `/help` zeigt alle, die ich kenne.
