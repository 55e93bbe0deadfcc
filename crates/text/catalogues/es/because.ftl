OnlyReads = solo lee
ChangesInPrivate = cambia algo que se puede deshacer, en privado
ChangesInShared = cambia algo, y aquí leen otras personas
Destroys = destruye algo
Sensitive = toca algo privado o cuesta dinero
RuleAllows = la regla «{ $rule }» lo permite
RuleConfirms = la regla «{ $rule }» pide confirmación
RuleForbids = la regla «{ $rule }» lo prohíbe
PerMinute = { $count ->
    [one] la regla «{ $rule }» lo permite una vez por minuto
   *[other] la regla «{ $rule }» lo permite { $count } veces por minuto
}
PerHour = { $count ->
    [one] la regla «{ $rule }» lo permite una vez por hora
   *[other] la regla «{ $rule }» lo permite { $count } veces por hora
}
PerDay = { $count ->
    [one] la regla «{ $rule }» lo permite una vez al día
   *[other] la regla «{ $rule }» lo permite { $count } veces al día
}
PerMonth = { $count ->
    [one] la regla «{ $rule }» lo permite una vez al mes
   *[other] la regla «{ $rule }» lo permite { $count } veces al mes
}
ReadOutside = he leído palabras de fuera ({ $sources })
AndMore = { $count ->
    [one] { $list } y { $count } más
   *[other] { $list } y { $count } más
}
CarriesOut = { $read }, y esto sacaría fuera algo que allí no se sabe
MayBeOthers = { $read }, y puede que sean ellas las que piden esto
MayBeOthersFor = { $read }, y puede que sean ellas las que piden esto: { $fault }
StandsOnlyIn = { $argument } solo está en lo que devolvió { $source }
NotSaid = tú no dijiste { $argument }
NotNamed = tú no lo nombraste
NotAnnounced = no estaba anunciado, y { $fault }
StandsIn = `{ $argument }` está { $source }
ForYouAlone = lo que devolvió es solo para ti, y aquí leen otras personas
TooManyOpen = { $count ->
    [one] habría que aprobarlo, y aquí ya te espera { $count } pregunta
   *[other] habría que aprobarlo, y aquí ya te esperan { $count } preguntas
}
