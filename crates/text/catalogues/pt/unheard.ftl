TooFast = Você está escrevendo mais rápido do que posso responder. Tente de novo { $wait }.
EnoughHere = Por enquanto já respondi aqui tudo o que posso. Tente de novo { $wait }.
InSeconds = em { $seconds } s
InMinutes = { $count ->
    [one] em { $count } minuto
   *[other] em { $count } minutos
}
InHours = { $count ->
    [one] em { $count } hora
   *[other] em { $count } horas
}
OnlyRoles = Aqui só respondo a quem tem um destes cargos: { $roles }.
SilentHere = Aqui devo ficar em silêncio.
