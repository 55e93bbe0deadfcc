Greeting = Привет! Я { $name }. Языковая модель ещё не подключена, поэтому отвечают только несколько правил; «помощь» покажет, что они умеют.
Hello = Привет!
Welcome = Пожалуйста.
Help =
    Я { $name }. Языковая модель не подключена, поэтому отвечают несколько правил; они понимают английский и немецкий. Они умеют:
    - считать и переводить единицы: "17 * 23", "5 km in miles", "20 °C in °F"
    - называть время и дату: "what time is it in Tokyo?", "how many days until Christmas?"
    - узнавать погоду: "weather in Oslo tomorrow"
    - запоминать: "my cat is called Miro", "what is my cat called?", "what do you know about me?"
    - напоминать: "remind me in 10 minutes to stretch", "my reminders"

    Для всего остального дай мне модель: задай OPENAI_API_KEY или ANTHROPIC_API_KEY либо запусти `clifford init` (подойдут и Ollama, и другие локальные серверы).
NeedsModel = Я — всего лишь несколько правил; дай мне модель: задай OPENAI_API_KEY или ANTHROPIC_API_KEY либо запусти `clifford init` (подойдут и Ollama, и другие локальные серверы). «помощь» покажет, что я умею без неё.
Name = Меня зовут { $name }.
Being = Я { $name }, чат-бот. Языковая модель не подключена, поэтому тебе отвечают только несколько правил; «помощь» покажет, что они умеют.
Fine = Все мои правила работают, спасибо!
Bye = Пока!
