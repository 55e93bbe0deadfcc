Head = Consumo dos seus pedidos:
Today = hoje
ThisMonth = este mês
ModelCalls = { $count ->
    [one] { $count } chamada ao modelo
   *[other] { $count } chamadas ao modelo
}
Tokens = { $tokens } tokens
Cost = custo { $cost }
AllByOwnKey = tudo com sua própria chave
SomeByOwnKey = { $count ->
    [one] { $count } delas com sua própria chave, custo { $cost }
   *[other] { $count } delas com sua própria chave, custo { $cost }
}
Estimated = (em parte estimado)
Left = resta para { $period }: { $what }
LeftForEverybody = resta para todos aqui { $period }: { $what }
LeftForYouHere = resta para você aqui { $period }: { $what }
CostLeft = custo { $left } de { $all }
TokensLeft = { $left } de { $all } tokens
MessagesForYou = mensagens que restam para você: { $left } de { $all } por { $unit }
MessagesForEverybody = mensagens que restam para todos aqui: { $left } de { $all } por { $unit }
MessagesForChannel = mensagens que restam para este canal: { $left } de { $all } por { $unit }
Minute = minuto
Hour = hora
Day = dia
