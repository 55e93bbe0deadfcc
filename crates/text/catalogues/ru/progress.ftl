Thinking = Думаю
OwnTask = Работаю над отдельной задачей
Tasks = { $count ->
    [one] Работаю над { $count } задачей
    [few] Работаю над { $count } задачами сразу
    [many] Работаю над { $count } задачами сразу
   *[other] Работаю над { $count } задачами сразу
}
SearchingWeb = Ищу в интернете
ReadingSite = Читаю `{ $site }`
ReadingPage = Читаю страницу
WritingFile = Пишу файл
ReadingFile = Читаю файл
LookingThroughFiles = Просматриваю файлы
MakingImage = Создаю изображение
LookingAtImage = Смотрю изображение
ListeningToRecording = Слушаю запись
LookingThroughMemory = Вспоминаю
ReadingDocument = Читаю документ
SearchingDocuments = Ищу в документах
Calculating = Считаю
CheckingWeather = Смотрю погоду
SeeingToReminders = Занимаюсь напоминаниями
RollingDice = Бросаю кости
LookingAround = Осматриваюсь здесь
Using = Использую `{ $tool }`
Step = { $doing } · шаг { $step }
Stop = Остановить
Requirements = требования: { $content }
Plan = план: { $content }
Artifact = промежуточный результат: { $content }
Validation = проверка: { $content }
Decision = решение: { $content }
Tokens = { $model }: токены { $read } + { $written }
