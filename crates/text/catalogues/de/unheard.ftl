TooFast = Du schreibst schneller, als ich antworten darf. Versuch es bitte { $wait } noch einmal.
EnoughHere = Ich habe hier fürs Erste so viel beantwortet, wie ich darf. Versuch es bitte { $wait } noch einmal.
InSeconds = in { $seconds } s
InMinutes = { $count ->
    [one] in 1 Minute
   *[other] in { $count } Minuten
}
InHours = { $count ->
    [one] in 1 Stunde
   *[other] in { $count } Stunden
}
OnlyRoles = Hier antworte ich nur Leuten mit einer dieser Rollen: { $roles }.
SilentHere = Hier soll ich nichts sagen.
