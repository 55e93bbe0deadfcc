Welcome = /help — команды, exit или Ctrl-D — выход, Alt-Enter — новая строка, Ctrl-R — поиск по набранному.
AtWork = { $seconds } с · Ctrl-C остановит
NotAnswered = ответа не будет: пользователю терминала нельзя говорить с ботом
NotStored = сообщение не удалось сохранить, пробую ещё раз: { $error }
