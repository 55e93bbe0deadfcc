TooFast = Escribes más rápido de lo que puedo responder. Inténtalo de nuevo { $wait }.
EnoughHere = Por ahora he respondido aquí todo lo que puedo. Inténtalo de nuevo { $wait }.
InSeconds = en { $seconds } s
InMinutes = { $count ->
    [one] en 1 minuto
   *[other] en { $count } minutos
}
InHours = { $count ->
    [one] en 1 hora
   *[other] en { $count } horas
}
OnlyRoles = Aquí solo respondo a quienes tienen uno de estos roles: { $roles }.
SilentHere = Aquí no debo decir nada.
