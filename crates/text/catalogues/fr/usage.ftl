Head = Consommation de tes demandes :
Today = aujourd’hui
ThisMonth = ce mois-ci
ModelCalls = { $count ->
    [one] { $count } appel au modèle
   *[other] { $count } appels au modèle
}
Tokens = { $tokens } tokens
Cost = coût { $cost }
AllByOwnKey = tout avec ta propre clé
SomeByOwnKey = { $count ->
    [one] dont { $count } avec ta propre clé, coût { $cost }
   *[other] dont { $count } avec ta propre clé, coût { $cost }
}
Estimated = (en partie estimé)
Left = reste pour { $period } : { $what }
LeftForEverybody = reste pour tous ici, { $period } : { $what }
LeftForYouHere = reste pour toi ici, { $period } : { $what }
CostLeft = coût { $left } sur { $all }
TokensLeft = { $left } tokens sur { $all }
MessagesForYou = messages restants pour toi : { $left } sur { $all } par { $unit }
MessagesForEverybody = messages restants pour tous ici : { $left } sur { $all } par { $unit }
MessagesForChannel = messages restants pour ce salon : { $left } sur { $all } par { $unit }
Minute = minute
Hour = heure
Day = jour
