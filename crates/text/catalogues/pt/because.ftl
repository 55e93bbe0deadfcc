OnlyReads = só lê
ChangesInPrivate = muda algo que pode ser desfeito, em particular
ChangesInShared = muda algo, e outras pessoas leem aqui
Destroys = destrói algo
Sensitive = toca em algo privado ou custa dinheiro
RuleAllows = a regra “{ $rule }” permite
RuleConfirms = a regra “{ $rule }” pede confirmação
RuleForbids = a regra “{ $rule }” proíbe
PerMinute = { $count ->
    [one] a regra “{ $rule }” permite uma vez por minuto
   *[other] a regra “{ $rule }” permite { $count } vezes por minuto
}
PerHour = { $count ->
    [one] a regra “{ $rule }” permite uma vez por hora
   *[other] a regra “{ $rule }” permite { $count } vezes por hora
}
PerDay = { $count ->
    [one] a regra “{ $rule }” permite uma vez por dia
   *[other] a regra “{ $rule }” permite { $count } vezes por dia
}
PerMonth = { $count ->
    [one] a regra “{ $rule }” permite uma vez por mês
   *[other] a regra “{ $rule }” permite { $count } vezes por mês
}
ReadOutside = li textos de fora ({ $sources })
AndMore = { $count ->
    [one] { $list } e mais { $count }
   *[other] { $list } e mais { $count }
}
CarriesOut = { $read }, e isto levaria para fora algo que lá não se sabe
MayBeOthers = { $read }, e talvez este pedido venha de lá
MayBeOthersFor = { $read }, e talvez este pedido venha de lá: { $fault }
StandsOnlyIn = { $argument } só está no que { $source } devolveu
NotSaid = você não disse { $argument }
NotNamed = você não citou isso
NotAnnounced = não estava anunciado, e { $fault }
StandsIn = `{ $argument }` está { $source }
ForYouAlone = o que foi devolvido é só para você, e outras pessoas leem aqui
TooManyOpen = { $count ->
    [one] seria preciso aprovar, e { $count } pergunta já espera por você aqui
   *[other] seria preciso aprovar, e { $count } perguntas já esperam por você aqui
}
