Welcome = /help liste les commandes, exit ou Ctrl-D quitte, Alt-Entrée commence une ligne, Ctrl-R cherche dans ce que tu as tapé.
AtWork = { $seconds } s · Ctrl-C arrête
NotAnswered = pas de réponse : l’utilisateur de ce terminal n’a pas le droit de parler au bot
NotStored = le message n’a pas pu être enregistré, nouvel essai : { $error }
ServerGone = le serveur ne répond pas, nouvel essai
ServerBack = de nouveau connecté au serveur
NotText = cette ligne est perdue : elle n'est pas en UTF-8 ; règle l'encodage du terminal sur UTF-8
