Greeting = ¡Hola! Soy { $name }. Todavía no hay ningún modelo de lenguaje conectado: solo responden unas pocas reglas. «ayuda» muestra qué saben hacer.
Hello = ¡Hola!
Welcome = De nada.
Help =
    Soy { $name }. No hay ningún modelo de lenguaje conectado: responden unas pocas reglas, que entienden inglés y alemán. Pueden:
    - calcular y convertir: "17 * 23", "5 km in miles", "20 °C in °F"
    - decir horas y fechas: "what time is it in Tokyo?", "how many days until Christmas?"
    - consultar el tiempo: "weather in Oslo tomorrow"
    - recordar cosas: "my cat is called Miro", "what is my cat called?", "what do you know about me?"
    - avisarte: "remind me in 10 minutes to stretch", "my reminders"

    Para todo lo demás, dame un modelo: define OPENAI_API_KEY o ANTHROPIC_API_KEY, o ejecuta `clifford init` (también para Ollama y otros servidores locales).
NeedsModel = Soy solo unas pocas reglas; dame un modelo: define OPENAI_API_KEY o ANTHROPIC_API_KEY, o ejecuta `clifford init` (también para Ollama y otros servidores locales). «ayuda» muestra qué puedo hacer sin él.
Name = Me llamo { $name }.
Being = Soy { $name }, un bot de chat. No hay ningún modelo de lenguaje conectado: solo te responden unas pocas reglas. «ayuda» muestra qué saben hacer.
Fine = Todas mis reglas funcionan, ¡gracias!
Bye = ¡Adiós!
