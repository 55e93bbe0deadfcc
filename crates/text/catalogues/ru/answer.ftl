Stopped = Остановлено.
NothingToStop = Останавливать нечего.
EndedAlready = Это уже закончилось.
NotYoursToStop = Остановить может только тот, кто об этом попросил, или тот, кто управляет этим чатом.
RatingThanks = Спасибо, учтено.
NoSuchAnswer = Такого ответа я здесь не нахожу.
UndoUnknown = Такого ответа я не знаю. Просто `/undo` отменит последнее.
NothingToUndo = Отменять нечего.
UndoneAlready = Это уже отменено.
UndoTooLate = Прошло больше часа, и это больше не отменяется.
UndoNotYours = Отменить может только тот, для кого я это сделал.
Undone = Отменено: { $what }.
NotUndone = Не отменено: { $what }.
PairNotYours = Кто может со мной говорить, решают только мои владельцы.
PairInPrivate = Это только между нами: отправь `/pair` в личном чате.
HowToPair = Напиши `/pair`, чтобы увидеть, кто ждёт, или `/pair approve telegram:123`; так же работают `refuse` и `block`.
PairSettled = Это уже решено, или с этого аккаунта никто не просил. `/pair` покажет, кто ждёт.
MayTalk = { $person } теперь может со мной говорить и знает об этом.
WasRefused = { $person } знает, что доступа нет. Можно попросить снова.
WasBlocked = { $person }: больше не слушаю.
NobodyWaits = Никто не ждёт доступа.
TheyWait = Доступа ждут:
MoreWait = { $count ->
    [one] и ещё { $count }: `clifford pair list`
    [few] и ещё { $count }: `clifford pair list`
    [many] и ещё { $count }: `clifford pair list`
   *[other] и ещё { $count }: `clifford pair list`
}
HowToKeepOut = `/pair refuse АККАУНТ` и `/pair block АККАУНТ` их не пустят.
ApprovePerson = Пустить: { $person }
LetIn = Мой владелец дал тебе доступ. Чем могу помочь? /help покажет, что я умею.
NotLetIn = Мой владелец пока не даёт тебе доступ.
YouAreOwner = Теперь ты мой владелец. Чем могу помочь? `/help` покажет мои команды.
OnlyKnown = Привет! Я говорю только с теми, кого знает мой владелец. Твой код — `{ $code }`; попроси моего владельца в течение часа выполнить `clifford pair approve { $code }`.
AsksToBeLetIn = **{ $person }** пишет мне в личном чате и просит доступ ({ $account }).
MayTheyTalk = Пустить?
MoreMayAsk = В течение часа могут попросить и другие, о них я не сообщу.
PairLists = `/pair` покажет всех, кто ждёт.
ApproveButton = Пустить
RefuseButton = Отказать
BlockButton = Заблокировать
ApprovedBy = ✅ **Пустили**: { $person }.
RefusedBy = ❌ **Отказали**: { $person }.
BlockedBy = 🚫 **Заблокировали**: { $person }.
TooFast = Ты пишешь быстрее, чем мне можно отвечать. Попробуй снова через { $seconds } с.
