Stopped = Arrêté.
NothingToStop = Il n’y a rien à arrêter.
EndedAlready = C’est déjà terminé.
NotYoursToStop = Seules la personne qui l’a demandé et celles qui gèrent ce lieu peuvent l’arrêter.
RatingThanks = Merci, c’est noté.
NoSuchAnswer = Je ne trouve pas cette réponse ici.
UndoUnknown = Je ne connais pas cette réponse. `/undo` seul annule la dernière.
NothingToUndo = Il n’y a rien à annuler.
UndoneAlready = C’est déjà annulé.
UndoTooLate = C’était il y a plus d’une heure, trop longtemps pour l’annuler. Dis-moi plutôt ce que je dois changer.
UndoNotYours = Seule la personne pour qui je l’ai fait peut l’annuler.
Undone = Annulé : { $what }.
NotUndone = Pas annulé : { $what }.
PairNotYours = Seul un de mes propriétaires décide qui peut me parler.
PairInPrivate = Cela reste entre nous : envoie `/pair` dans un chat privé.
HowToPair = Écris `/pair` pour voir qui attend, ou `/pair approve telegram:123` ; `refuse` et `block` vont de même.
PairSettled = C’est déjà réglé, ou personne n’a demandé avec ce compte. `/pair` montre qui attend.
MayTalk = { $person } peut maintenant me parler, et le sait.
WasRefused = { $person } sait que l’accès est refusé, et peut redemander.
WasBlocked = Je n’écoute plus { $person }.
NobodyWaits = Personne n’attend d’accès.
TheyWait = Ces personnes attendent un accès :
MoreWait = { $count ->
    [one] et { $count } autre : `clifford pair list`
   *[other] et { $count } autres : `clifford pair list`
}
HowToKeepOut = `/pair refuse COMPTE` et `/pair block COMPTE` les tiennent dehors.
ApprovePerson = Autoriser { $person }
LetIn = Mon propriétaire t’a donné accès. Que puis-je faire pour toi ? /help montre ce que je sais faire.
NotLetIn = Mon propriétaire ne te donne pas accès pour le moment.
YouAreOwner = Tu es maintenant mon propriétaire. Que puis-je faire pour toi ? `/help` montre mes commandes.
OnlyKnown = Bonjour ! Je ne parle qu’aux personnes que mon propriétaire connaît. Ton code est `{ $code }` ; demande à mon propriétaire de lancer `clifford pair approve { $code }` dans l’heure.
IfYours = Si je suis ton bot, envoie-moi le code que `clifford serve` a affiché au démarrage ; `clifford pair claim` en affiche un autre.
NotTheCode = Ce n’est pas le code, ou il n’est plus valable.
AsksToBeLetIn = **{ $person }** m’a écrit en privé et demande l’accès ({ $account }).
MayTheyTalk = Cette personne peut-elle me parler ?
MoreMayAsk = D’autres personnes demanderont peut-être dans l’heure, sans que je te le dise.
PairLists = `/pair` liste toutes les personnes qui attendent.
ApproveButton = Autoriser
RefuseButton = Refuser
BlockButton = Bloquer
ApprovedBy = ✅ **Autorisé** par { $person }.
RefusedBy = ❌ **Refusé** par { $person }.
BlockedBy = 🚫 **Bloqué** par { $person }.
OnlyKnownHere = Je ne réponds qu’aux personnes que mon propriétaire connaît.
OwnerWasAsked = J’ai demandé à mon propriétaire si je peux répondre à tout le monde ici.
AsksInPlace = **{ $person }** s’est adressé à moi dans **{ $place }** ({ $id }), où je ne réponds qu’aux personnes que tu as autorisées.
MayEverybodyThere = Tout le monde là-bas peut-il me parler ?
EverybodyButton = Tout le monde
NobodyMoreButton = Laisser ainsi
EverybodyBy = ✅ **Tout le monde là-bas** peut me parler : décision de { $person }.
NobodyMoreBy = ❌ **Rien ne change** : décision de { $person }.
EverybodyMayTalk = Tout le monde dans { $place } peut me parler maintenant, et en a été informé.
NobodyMore = Dans { $place }, je continue à ne répondre qu’aux personnes que je connais, et je ne te demande plus rien. `/pair everybody` avec son adresse autorise tout le monde.
NoSuchPlace = Je ne connais pas cet endroit.
EverybodyLetIn = Mon propriétaire permet à tout le monde ici de me parler. /help montre ce que je sais faire.
MinutesLate = { $count ->
    [one] { $count } minute de retard
   *[other] { $count } minutes de retard
}
HoursLate = { $count ->
    [one] { $count } heure de retard
   *[other] { $count } heures de retard
}
DaysLate = { $count ->
    [one] { $count } jour de retard
   *[other] { $count } jours de retard
}
GreetingOpen = Bonjour ! Je réponds aux questions, je retiens ce qui compte pour vous et je peux vous faire des rappels. Mentionnez-moi ou répondez-moi, et tout le monde lit ma réponse ; le reste, je le laisse tranquille. Les personnes qui gèrent ce lieu peuvent me régler avec /settings, et autoriser ou refuser ce que je demande.
GreetingKnown = Bonjour ! Je réponds aux questions, je retiens l’essentiel et je peux vous faire des rappels. Mentionnez-moi ou répondez-moi, et tout le monde lit ma réponse ; le reste, je le laisse tranquille. Je réponds aux personnes que mon propriétaire connaît : il peut en admettre d’autres, ou tout ce lieu. Celles qui le gèrent peuvent me régler avec /settings.
WhatICanDo = Ce que je sais faire
SetMeUp = Me configurer
