OnlyReads = es wird nur gelesen
ChangesInPrivate = es ändert etwas, das sich zurücknehmen lässt, im privaten Chat
ChangesInShared = es ändert etwas, und hier lesen andere mit
Destroys = es löscht oder zerstört etwas
Sensitive = es betrifft Privates oder kostet Geld
RuleAllows = die Regel „{ $rule }“ erlaubt es
RuleConfirms = die Regel „{ $rule }“ verlangt eine Bestätigung
RuleForbids = die Regel „{ $rule }“ verbietet es
PerMinute = { $count ->
    [one] die Regel „{ $rule }“ erlaubt es einmal pro Minute
   *[other] die Regel „{ $rule }“ erlaubt es { $count } Mal pro Minute
}
PerHour = { $count ->
    [one] die Regel „{ $rule }“ erlaubt es einmal pro Stunde
   *[other] die Regel „{ $rule }“ erlaubt es { $count } Mal pro Stunde
}
PerDay = { $count ->
    [one] die Regel „{ $rule }“ erlaubt es einmal pro Tag
   *[other] die Regel „{ $rule }“ erlaubt es { $count } Mal pro Tag
}
PerMonth = { $count ->
    [one] die Regel „{ $rule }“ erlaubt es einmal pro Monat
   *[other] die Regel „{ $rule }“ erlaubt es { $count } Mal pro Monat
}
ReadOutside = ich habe Worte von außen gelesen ({ $sources })
AndMore = { $count ->
    [one] { $list } und { $count } weitere
   *[other] { $list } und { $count } weitere
}
CarriesOut = { $read }, und das würde etwas hinaustragen, das dort nicht bekannt ist
MayBeOthers = { $read }, und die könnten darum gebeten haben
MayBeOthersFor = { $read }, und die könnten darum gebeten haben: { $fault }
StandsOnlyIn = { $argument } steht nur in dem, was { $source } geliefert hat
NotSaid = { $argument } hast du nicht gesagt
NotNamed = du hast es nicht genannt
NotAnnounced = es war nicht angekündigt, und { $fault }
StandsIn = `{ $argument }` steht { $source }
ForYouAlone = das Ergebnis ist nur für dich, und hier lesen andere mit
TooManyOpen = { $count ->
    [one] es müsste erlaubt werden, und hier wartet schon { $count } Frage auf dich
   *[other] es müsste erlaubt werden, und hier warten schon { $count } Fragen auf dich
}
