OnlyReads = cela ne fait que lire
ChangesInPrivate = cela change quelque chose de réversible, en privé
ChangesInShared = cela change quelque chose, et d’autres lisent ici
Destroys = cela détruit quelque chose
Sensitive = cela touche au privé ou coûte de l’argent
RuleAllows = la règle « { $rule } » l’autorise
RuleConfirms = la règle « { $rule } » demande une confirmation
RuleForbids = la règle « { $rule } » l’interdit
PerMinute = { $count ->
    [one] la règle « { $rule } » l’autorise { $count } fois par minute
   *[other] la règle « { $rule } » l’autorise { $count } fois par minute
}
PerHour = { $count ->
    [one] la règle « { $rule } » l’autorise { $count } fois par heure
   *[other] la règle « { $rule } » l’autorise { $count } fois par heure
}
PerDay = { $count ->
    [one] la règle « { $rule } » l’autorise { $count } fois par jour
   *[other] la règle « { $rule } » l’autorise { $count } fois par jour
}
PerMonth = { $count ->
    [one] la règle « { $rule } » l’autorise { $count } fois par mois
   *[other] la règle « { $rule } » l’autorise { $count } fois par mois
}
ReadOutside = j’ai lu des textes venus de l’extérieur ({ $sources })
AndMore = { $count ->
    [one] { $list } et { $count } autre
   *[other] { $list } et { $count } autres
}
CarriesOut = { $read }, et cela ferait sortir une chose qui n’y est pas connue
MayBeOthers = { $read }, et cette demande vient peut-être de là
MayBeOthersFor = { $read }, et cette demande vient peut-être de là : { $fault }
StandsOnlyIn = { $argument } ne figure que dans ce que { $source } a renvoyé
NotSaid = tu n’as pas dit { $argument }
NotNamed = tu ne l’as pas nommé
NotAnnounced = ce n’était pas annoncé, et { $fault }
StandsIn = `{ $argument }` figure { $source }
ForYouAlone = ce qu’il a renvoyé n’est que pour toi, et d’autres lisent ici
TooManyOpen = { $count ->
    [one] il faudrait l’autoriser, et { $count } question t’attend déjà ici
   *[other] il faudrait l’autoriser, et { $count } questions t’attendent déjà ici
}
