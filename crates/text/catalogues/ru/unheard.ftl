TooFast = Ты пишешь быстрее, чем мне можно отвечать. Попробуй снова { $wait }.
EnoughHere = Здесь я уже ответил столько, сколько мне пока можно. Попробуй снова { $wait }.
InSeconds = через { $seconds } с
InMinutes = { $count ->
    [one] через { $count } минуту
    [few] через { $count } минуты
    [many] через { $count } минут
   *[other] через { $count } минуты
}
InHours = { $count ->
    [one] через { $count } час
    [few] через { $count } часа
    [many] через { $count } часов
   *[other] через { $count } часа
}
OnlyRoles = Здесь я отвечаю только тем, у кого есть одна из этих ролей: { $roles }.
SilentHere = Здесь мне велено молчать.
