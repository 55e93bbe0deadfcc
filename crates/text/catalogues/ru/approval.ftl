MayCall = Можно это сделать?
MayUseResult = Можно использовать здесь результат этого вызова?
MayCallSeveral = { $count ->
    [one] **Можно сделать { $count } вызов?** Один ответ — на всё.
    [few] **Можно сделать { $count } вызова?** Один ответ — на всё.
    [many] **Можно сделать { $count } вызовов?** Один ответ — на всё.
   *[other] **Можно сделать { $count } вызова?** Один ответ — на всё.
}
IsAsked = Вопрос к { $person }:
NotAskedFor = **Ты об этом не просил(а).** `{ $argument }` есть { $source }.
NotAskedForArgument = **Такого `{ $argument }` ты не просил(а).** Оно есть { $source }.
NotAskedForFollowing = **О том, что ниже, ты не просил(а).**
OtherArguments = { $count ->
    [one] , как и ещё { $count } аргумент
    [few] , как и ещё { $count } аргумента
    [many] , как и ещё { $count } аргументов
   *[other] , как и ещё { $count } аргумента
}
TooLong = **Это первые { $head } символов из { $count }. Полностью — в файле `{ $file }`: прочти его, прежде чем разрешить.**
HowToAnswer = `{ $approve }` или `{ $deny }`, в течение { $left }.
NoArguments = без аргументов
Minutes = { $count ->
    [one] { $count } минуты
    [few] { $count } минут
    [many] { $count } минут
   *[other] { $count } минут
}
Hours = { $count ->
    [one] { $count } часа
    [few] { $count } часов
    [many] { $count } часов
   *[other] { $count } часов
}
Days = { $count ->
    [one] { $count } дня
    [few] { $count } дней
    [many] { $count } дней
   *[other] { $count } дней
}
Approve = Разрешить
Deny = Запретить
AlwaysHere = Здесь всегда
FromPerson = твоё сообщение
FromNothing = обычное значение
FromResult = результат { $command }
FromField = результат { $command }, поле { $field }
OnlyIn = только в { $read } ({ $command })
In = в { $read } ({ $command })
OnlyInResult = только в результате { $command }
InResult = в результате { $command }
FromModel = мои собственные слова
FromModelHolding = мои собственные слова, с { $text } { $source }
Unanswered = ⌛ **Нет ответа** вовремя.
ApprovedBy = ✅ **Разрешено**: { $person }.
ApprovedAlwaysBy = ✅ **Разрешено**: { $person }, впредь в этом разговоре.
DeniedBy = ❌ **Запрещено**: { $person }.
Operator = оператор
QuestionEdited = ⏹️ **Нет ответа**: сообщение изменили.
Interrupted = ⏹️ **Нет ответа**: его сменило более новое сообщение.
NotNeeded = ⏹️ **Нет ответа**: это больше не нужно.
Stopped = ⏹️ **Нет ответа**: меня остановили.
HowToApprove = Напиши `/approve` или `/approve` с номером вопроса.
NoSuchQuestion = Такого вопроса я не знаю. Просто `/approve` отвечает на открытый.
NothingOpen = Я не жду здесь твоего ответа.
WasDenied = Запрещено: `{ $name }`.
WasApproved = Разрешено: `{ $name }`.
WasApprovedAlways = Разрешено: `{ $name }`. В этом разговоре я больше не буду спрашивать об этом.
NotSeen = Ты ещё не видел(а) этот вопрос. Сначала прочти его.
Settled = Это уже решено: на вопрос ответили, время вышло, меня остановили или его сменило более новое сообщение.
Earlier = Это более ранний вопрос; ответь, пожалуйста, на последний.
NotYours = Ответить может только тот, кого я спросил, или тот, кто управляет этим чатом.
NoRule = Это нельзя разрешить навсегда: об этом могли попросить чужие слова, или правило требует спрашивать каждый раз. `/approve` разрешит один раз.
SeveralOpen = { $count ->
    [one] Здесь открыт { $count } вопрос, он показан выше. Нажми кнопку или назови нужный, можно с `/deny`:
    [few] Здесь открыто { $count } вопроса, все показаны выше. Нажми кнопку или назови нужный, можно с `/deny`:
    [many] Здесь открыто { $count } вопросов, все показаны выше. Нажми кнопку или назови нужный, можно с `/deny`:
   *[other] Здесь открыто { $count } вопроса, все показаны выше. Нажми кнопку или назови нужный, можно с `/deny`:
}
AndMore = { $count ->
    [one] и ещё { $count }
    [few] и ещё { $count }
    [many] и ещё { $count }
   *[other] и ещё { $count }
}
