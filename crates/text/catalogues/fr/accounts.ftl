OnlyInPrivate = Les comptes ne s’associent et ne se séparent que dans un chat privé avec moi. Écris-moi là-bas.
CodeBelongs = Ce code est à **{ $person }**.
WasMadeOn = Il a été créé sur { $platform } par { $name } (`{ $account }`).
YouBecome = Si tu continues, tu deviens une partie de **{ $person }** : qui utilise ce compte lira ce que tu m’as dit ici en privé{ $known }, tes conversations, fichiers, rappels et réglages, et pourra faire ce que tu peux faire.
ThingsKnown = { $count ->
    [one] , la { $count } info que je retiens de toi
   *[other] , les { $count } infos que je retiens de toi
}
OnlyIfYours = Ne le fais que si ce compte est **à toi**. Si quelqu’un t’a donné ce code, ou t’a demandé de l’entrer, ne continue pas : rien n’a été associé.
ToLink = Pour associer les deux, envoie `{ $command }` dans les 10 minutes.
BothAreMine = Les deux sont à moi : associer
BadLinkCode = Ce code n’est pas bon, ou ne l’est plus : rien n’a été associé. Entre de nouveau le code de l’autre compte : `/link CODE`.
OtherAccount = On t’a posé la question sur un autre compte : rien n’a été associé.
Linked = Associés. Tu es { $person } sur tous ceux-ci :{ $accounts }
YourCode =
    Ton code est `{ $code }`. Il vaut une fois, pendant { $minutes } minutes. Écris-moi `/link { $code }` dans un chat privé depuis ton autre compte.

    À partir de là, les deux comptes sont une seule personne pour moi : ils partagent ce que je retiens de toi, tes conversations, fichiers et réglages, et chacun peut ce que l’autre peut.

    N’entre un code que sur des comptes à toi. N’entre jamais un code que quelqu’un t’a donné, et ne donne jamais celui-ci : qui associe son compte au tien lit tout.
NoSuchCode = Je ne connais pas ce code. Les codes valent une fois et dix minutes ; `/link` sur ton autre compte t’en donne un nouveau.
AlreadyLinked = C’est déjà toi. Entre le code sur ton autre compte, celui qui n’est pas encore associé.
TooManyTries = Cela fait trop d’essais. Réessaie dans { $minutes } min.
OtherWayRound = Je ne les ai pas associés : ce compte peut plus que celui qui a créé le code, le code doit donc venir de celui-ci. Écris-moi `/link` ici, et entre le code sur l’autre compte, s’il est à toi. Le code que tu as entré est annulé.
BeingErased = Je n’ai rien changé : je suis en train de supprimer tout ce que j’ai d’un de ces comptes.
OnlyAccount = C’est le seul compte que je te connaisse : il n’y en a pas d’autre dont le séparer. `/link` en associe un autre.
BadPartCode = Ce code n’est pas bon, ou ne l’est plus : rien n’a été séparé. `/unlink` t’en donne un nouveau.
Parted = Séparé. Ce compte est maintenant pour moi une personne à part, avec les conversations commencées ici et ce que j’y ai appris. Tout le reste est resté aux autres comptes de **{ $person }**. Les sessions du tableau de bord, les clés d’accès et les jetons de l’API ont pris fin : `/dashboard` te laisse entrer à nouveau.
PartedHere = Séparé. Ce compte est maintenant pour moi une personne à part, avec les conversations commencées ici et ce que j’y ai appris. Tout le reste est resté aux autres comptes de **{ $person }**. La session ou le jeton que tu utilises reste, et appartient à la nouvelle personne. Les autres sessions du tableau de bord, clés d’accès et jetons de l’API plus récents que ce compte ont pris fin.
ThisIsOwner = Ce compte est mon propriétaire ; les autres ne le sont plus.
TheyAreOwner = Les autres sont mon propriétaire ; ce compte ne l’est plus.
PartsThis = Cela fait du compte que tu utilises une personne à part, et met fin aux sessions du tableau de bord, aux clés d’accès et aux jetons de l’API. Il emporte les conversations commencées ici et ce que j’y ai appris ; tout le reste reste à tes autres comptes :{ $accounts }
PartsHere = Cela fait du compte que tu utilises une personne à part. La session ou le jeton que tu utilises reste, et appartiendra à cette personne ; les autres sessions du tableau de bord, clés d’accès et jetons de l’API plus récents que ce compte prennent fin. Il emporte les conversations commencées ici et ce que j’y ai appris ; tout le reste reste à tes autres comptes :{ $accounts }
StaysOwner = Ce compte était le premier : il reste mon **propriétaire**, et les autres ne le sont plus.
NotOwnerAnyMore = Ce compte **ne sera plus mon propriétaire** : cela reste au compte qui était le premier.
ToPart = Si tu en es sûr, envoie `{ $command }` dans les 10 minutes.
PartThis = Séparer ce compte
YouAre = Tu es { $person }.
AtThisMachine = Tu es la personne devant cette machine.
MyOwner = , mon propriétaire
YourId = Ton identifiant ici : `{ $id }`
RememberNothing = Je ne retiens encore rien de toi.
Remember = { $count ->
    [one] Je retiens { $count } info sur toi : { $private } seulement en privé, { $elsewhere } aussi ailleurs. `/memory` les montre.
   *[other] Je retiens { $count } infos sur toi : { $private } seulement en privé, { $elsewhere } aussi ailleurs. `/memory` les montre.
}
PartsAgain = `/unlink` sépare de nouveau un compte.
