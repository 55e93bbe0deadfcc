Head = Consumo de tus peticiones:
Today = hoy
ThisMonth = este mes
ModelCalls = { $count ->
    [one] 1 llamada al modelo
   *[other] { $count } llamadas al modelo
}
Tokens = { $tokens } tokens
Cost = { $cost } de coste
AllByOwnKey = todo con tu propia clave
SomeByOwnKey = { $count ->
    [one] { $count } de ellas con tu propia clave, { $cost } de coste
   *[other] { $count } de ellas con tu propia clave, { $cost } de coste
}
Estimated = (en parte estimado)
Left = queda para { $period }: { $what }
LeftForEverybody = queda para todos aquí { $period }: { $what }
LeftForYouHere = te queda aquí { $period }: { $what }
CostLeft = { $left } de { $all } de coste
TokensLeft = { $left } de { $all } tokens
MessagesForYou = mensajes que te quedan: { $left } de { $all } por { $unit }
MessagesForEverybody = mensajes que quedan para todos aquí: { $left } de { $all } por { $unit }
MessagesForChannel = mensajes que quedan para este canal: { $left } de { $all } por { $unit }
Minute = minuto
Hour = hora
Day = día
