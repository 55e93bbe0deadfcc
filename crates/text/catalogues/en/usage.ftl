Head = Usage of your requests:
Today = today
ThisMonth = this month
ModelCalls = { $count ->
    [one] 1 model call
   *[other] { $count } model calls
}
Tokens = { $tokens } tokens
Cost = { $cost } in cost
AllByOwnKey = all by your own key
SomeByOwnKey = { $count ->
    [one] { $count } of them by your own key, { $cost } in cost
   *[other] { $count } of them by your own key, { $cost } in cost
}
Estimated = (partly estimated)
Left = left for { $period }: { $what }
LeftForEverybody = left for everybody here { $period }: { $what }
LeftForYouHere = left for you here { $period }: { $what }
CostLeft = { $left } of { $all } in cost
TokensLeft = { $left } of { $all } tokens
MessagesForYou = messages left for you: { $left } of { $all } a { $unit }
MessagesForEverybody = messages left for everybody here: { $left } of { $all } a { $unit }
MessagesForChannel = messages left for this channel: { $left } of { $all } a { $unit }
Minute = minute
Hour = hour
Day = day
