MayCall = Puis-je faire cela ?
MayUseResult = Puis-je utiliser ici ce que cela a renvoyé ?
MayCallSeveral = { $count ->
    [one] **Puis-je faire cela ?** Une réponse vaut pour tout.
   *[other] **Puis-je faire ces { $count } appels ?** Une réponse vaut pour tous.
}
IsAsked = Question pour { $person } :
NotAskedFor = **Tu n’as pas demandé cela.** `{ $argument }` se trouve { $source }.
NotAskedForArgument = **Tu n’as pas demandé ce `{ $argument }`.** Il se trouve { $source }.
NotAskedForFollowing = **Tu n’as pas demandé ce qui suit.**
OtherArguments = { $count ->
    [one] , comme un autre argument
   *[other] , comme { $count } autres arguments
}
TooLong = **Voici les { $head } premiers caractères sur { $count }. Tout est dans le fichier `{ $file }` : lis-le avant d’autoriser.**
HowToAnswer = `{ $approve }` ou `{ $deny }`, dans un délai de { $left }.
NoArguments = aucun argument
Minutes = { $count ->
    [one] { $count } minute
   *[other] { $count } minutes
}
Hours = { $count ->
    [one] { $count } heure
   *[other] { $count } heures
}
Days = { $count ->
    [one] { $count } jour
   *[other] { $count } jours
}
Approve = Autoriser
Deny = Refuser
AlwaysHere = Toujours ici
FromPerson = ton message
FromNothing = la valeur habituelle
FromResult = résultat de { $command }
FromField = résultat de { $command }, champ { $field }
OnlyIn = seulement dans { $read } ({ $command })
In = dans { $read } ({ $command })
OnlyInResult = seulement dans le résultat de { $command }
InResult = dans le résultat de { $command }
FromModel = mes propres mots
FromModelHolding = mes propres mots, avec { $text } { $source }
Unanswered = ⌛ **Sans réponse** à temps.
ApprovedBy = ✅ **Autorisé** par { $person }.
ApprovedAlwaysBy = ✅ **Autorisé** par { $person }, désormais dans cette conversation.
DeniedBy = ❌ **Refusé** par { $person }.
Operator = l’opérateur
QuestionEdited = ⏹️ **Sans réponse** : le message a été modifié.
Interrupted = ⏹️ **Sans réponse** : un message plus récent a pris sa place.
NotNeeded = ⏹️ **Sans réponse** : ce n’est plus nécessaire.
Stopped = ⏹️ **Sans réponse** : on m’a arrêté.
HowToApprove = Écris `/approve`, ou `/approve` avec l’identifiant de ma question.
NoSuchQuestion = Je ne connais pas cette question. `/approve` seul répond à celle qui est ouverte.
NothingOpen = Je n’attends pas de réponse de ta part ici.
WasDenied = Refusé : `{ $name }`.
WasApproved = Autorisé : `{ $name }`.
WasApprovedAlways = Autorisé : `{ $name }`. Dans cette conversation, je ne te redemanderai pas avant de l’appeler.
NotSeen = Tu n’as pas encore vu cette question. Lis-la d’abord, s’il te plaît.
Settled = C’est déjà réglé : on y a répondu, le délai est passé, on m’a arrêté, ou un message plus récent a pris sa place.
Earlier = C’était une question plus ancienne ; réponds à la plus récente, s’il te plaît.
NotYours = Seule la personne à qui j’ai posé la question, ou une personne qui gère ce lieu, peut répondre.
NoRule = Cela ne peut pas être autorisé pour toujours : des mots venus d’ailleurs l’ont peut-être demandé, ou une règle veut qu’on demande chaque fois. `/approve` l’autorise cette fois.
SeveralOpen = { $count ->
    [one] { $count } question est ouverte ici, affichée plus haut. Appuie sur un bouton, ou nomme-la, aussi avec `/deny` :
   *[other] { $count } questions sont ouvertes ici, toutes affichées plus haut. Appuie sur un bouton, ou nomme celle que tu veux dire, aussi avec `/deny` :
}
AndMore = { $count ->
    [one] et { $count } autre
   *[other] et { $count } autres
}
