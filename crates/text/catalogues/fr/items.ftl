IsOff = La mémoire est désactivée ici : je ne retiens rien de nouveau et n’utilise rien de ce que je sais.
KnowNothing = Je ne sais encore rien de toi.
KnowNothingHere = Je ne sais rien de toi que je puisse dire ici.
Known = Voici ce que je sais de toi.
KnownHere = Voici ce que je peux savoir de toi ici.
Pinned = 📌 reste tel quel
Shared = 🌐 connu partout où tu me parles
Local = 👥 connu là où tu l’as dit
AskInPrivate = Demande-moi le reste en privé : ce que tu m’y dis y reste.
HowToChange = `/forget KEY`, `/pin KEY`, `/share KEY` et `/private KEY` le changent ; `/forget all` oublie tout.
HowTheyCome = Je retiens des infos sur toi quand une conversation se termine ou s’allonge, ou tout de suite si tu me le demandes.
Forgotten = Oublié : { $name }.
NothingToForget = Il n’y a rien à oublier.
ForgottenAll = { $count ->
    [one] Oublié : { $count } élément.
   *[other] Oublié : les { $count } éléments.
}
OutOfUse = { $count ->
    [one] { $count } qui ne sert plus
   *[other] { $count } qui ne servent plus
}
DeletesAll =
    Cela supprime pour de bon tout ce que je sais de toi :

    { $list }

    Écris `{ $command }` pour le faire.
DeletesAllHere =
    Cela supprime pour de bon ce que je peux savoir de toi ici :

    { $list }

    Écris `{ $command }` pour le faire.
ForgetAll = Tout oublier
StaysAsItIs = { $name } reste tel quel : tel qu’il est écrit, je ne le retiendrais pas aujourd’hui. Supprime-le avec `/forget`, puis redis-le-moi.
IsPinned = { $name } est épinglé : cela reste tel quel jusqu’au prochain `/pin` ou `/forget`.
IsNotPinned = { $name } n’est plus épinglé : cela peut changer selon ce que tu me dis.
IsShared = { $name } est maintenant connu partout où tu me parles, aussi devant les autres.
IsPrivate = { $name } n’est plus connu qu’en privé.
Several =
    Il y en a plusieurs avec cette clé. Laquelle ?

    { $list }
WriteKey = Écris laquelle : `{ $command } KEY`. `/memory` liste les clés.
NoSuchKey = Je ne connais pas la clé `{ $key }` ici. `/memory` liste les clés.
DidYouMean =
    Je ne connais pas la clé `{ $key }` ici. Voulais-tu dire ceci ?

    { $list }
