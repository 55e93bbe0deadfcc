OnlyReads = это только чтение
ChangesInPrivate = это меняет то, что можно вернуть, в личном чате
ChangesInShared = это что-то меняет, а здесь читают и другие
Destroys = это что-то уничтожает
Sensitive = это касается личного или стоит денег
RuleAllows = правило «{ $rule }» это разрешает
RuleConfirms = правило «{ $rule }» требует подтверждения
RuleForbids = правило «{ $rule }» это запрещает
PerMinute = { $count ->
    [one] правило «{ $rule }» разрешает это { $count } раз в минуту
    [few] правило «{ $rule }» разрешает это { $count } раза в минуту
    [many] правило «{ $rule }» разрешает это { $count } раз в минуту
   *[other] правило «{ $rule }» разрешает это { $count } раза в минуту
}
PerHour = { $count ->
    [one] правило «{ $rule }» разрешает это { $count } раз в час
    [few] правило «{ $rule }» разрешает это { $count } раза в час
    [many] правило «{ $rule }» разрешает это { $count } раз в час
   *[other] правило «{ $rule }» разрешает это { $count } раза в час
}
PerDay = { $count ->
    [one] правило «{ $rule }» разрешает это { $count } раз в день
    [few] правило «{ $rule }» разрешает это { $count } раза в день
    [many] правило «{ $rule }» разрешает это { $count } раз в день
   *[other] правило «{ $rule }» разрешает это { $count } раза в день
}
PerMonth = { $count ->
    [one] правило «{ $rule }» разрешает это { $count } раз в месяц
    [few] правило «{ $rule }» разрешает это { $count } раза в месяц
    [many] правило «{ $rule }» разрешает это { $count } раз в месяц
   *[other] правило «{ $rule }» разрешает это { $count } раза в месяц
}
ReadOutside = я прочитал чужие слова ({ $sources })
AndMore = { $count ->
    [one] { $list } и ещё { $count }
    [few] { $list } и ещё { $count }
    [many] { $list } и ещё { $count }
   *[other] { $list } и ещё { $count }
}
CarriesOut = { $read }, и это вынесло бы наружу то, что там неизвестно
MayBeOthers = { $read }, и, возможно, об этом просят они
MayBeOthersFor = { $read }, и, возможно, об этом просят они: { $fault }
StandsOnlyIn = { $argument } есть только в том, что вернул { $source }
NotSaid = ты не называл(а) { $argument }
NotNamed = ты этого не называл(а)
NotAnnounced = это не было объявлено заранее, и { $fault }
StandsIn = `{ $argument }` есть { $source }
ForYouAlone = результат только для тебя, а здесь читают и другие
TooManyOpen = { $count ->
    [one] это нужно разрешить, а здесь тебя уже ждёт { $count } вопрос
    [few] это нужно разрешить, а здесь тебя уже ждут { $count } вопроса
    [many] это нужно разрешить, а здесь тебя уже ждут { $count } вопросов
   *[other] это нужно разрешить, а здесь тебя уже ждут { $count } вопроса
}
