InPrivate = Cela reste entre nous : envoie `{ $command }` dans un chat privé.
GetItAt = Tu l’obtiens à `{ $address }`, ou demande `{ $command }` à la personne qui m’exploite.
TooMuch = J’ai trop de données sur toi pour les envoyer ici : demande `{ $command }` à la personne qui m’exploite.
SendAgain = Envoie encore une fois `/export`, s’il te plaît.
Exported = Tout ce que j’ai sur toi, en JSON Lines.
BeingDeleted = Tout ce que j’ai sur toi est en cours de suppression ; c’est le dernier message. Si tu m’écris de nouveau, je ne te connaîtrai plus.
BadCode = Ce code n’est pas bon, ou ne l’est plus : rien n’a été supprimé. `/erase` t’en donne un nouveau.
NothingDeleted = Rien n’a été supprimé. `/erase` dit ce qui le serait, et comment continuer.
DeletesEverything =
    Cela supprime pour de bon tout ce que j’ai sur toi : ce que tu m’as dit et ce que j’ai répondu, ici et partout ailleurs, ce que je retiens de toi, tes rappels, fichiers, réglages et comptes, et ce que j’ai cité de toi à d’autres. Personne ne peut le récupérer ; `/export` t’en donne d’abord une copie.

    Si tu en es sûr, envoie `{ $command }` dans les 10 minutes.
DeleteEverything = Tout supprimer
