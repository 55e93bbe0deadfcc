Head = Расход по твоим запросам:
Today = сегодня
ThisMonth = в этом месяце
ModelCalls = { $count ->
    [one] { $count } вызов модели
    [few] { $count } вызова модели
    [many] { $count } вызовов модели
   *[other] { $count } вызова модели
}
Tokens = токенов: { $tokens }
Cost = стоимость { $cost }
AllByOwnKey = всё по твоему ключу
SomeByOwnKey = { $count ->
    [one] из них { $count } по твоему ключу, стоимость { $cost }
    [few] из них { $count } по твоему ключу, стоимость { $cost }
    [many] из них { $count } по твоему ключу, стоимость { $cost }
   *[other] из них { $count } по твоему ключу, стоимость { $cost }
}
Estimated = (частично оценка)
Left = осталось, { $period }: { $what }
LeftForEverybody = осталось здесь на всех, { $period }: { $what }
LeftForYouHere = осталось здесь тебе, { $period }: { $what }
CostLeft = стоимость { $left } из { $all }
TokensLeft = токенов { $left } из { $all }
MessagesForYou = сообщений осталось тебе: { $left } из { $all } за { $unit }
MessagesForEverybody = сообщений осталось здесь на всех: { $left } из { $all } за { $unit }
MessagesForChannel = сообщений осталось этому каналу: { $left } из { $all } за { $unit }
Minute = минуту
Hour = час
Day = день
