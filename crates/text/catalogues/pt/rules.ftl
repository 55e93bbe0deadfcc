Greeting = Olá! Eu sou { $name }. Ainda não há um modelo de linguagem conectado: só algumas regras respondem. "ajuda" mostra o que elas sabem fazer.
Hello = Olá!
Welcome = De nada.
Help =
    Eu sou { $name }. Não há um modelo de linguagem conectado: respondem algumas regras, que entendem inglês e alemão. Elas sabem:
    - calcular e converter: "17 * 23", "5 km in miles", "20 °C in °F"
    - dizer horas e datas: "what time is it in Tokyo?", "how many days until Christmas?"
    - consultar o tempo: "weather in Oslo tomorrow"
    - guardar coisas na memória: "my cat is called Miro", "what is my cat called?", "what do you know about me?"
    - enviar lembretes: "remind me in 10 minutes to stretch", "my reminders"

    Para todo o resto, me dê um modelo: defina OPENAI_API_KEY ou ANTHROPIC_API_KEY, ou execute `clifford init` (também para Ollama e outros servidores locais).
NeedsModel = Sou só algumas regras; me dê um modelo: defina OPENAI_API_KEY ou ANTHROPIC_API_KEY, ou execute `clifford init` (também para Ollama e outros servidores locais). "ajuda" mostra o que posso fazer sem ele.
Name = Meu nome é { $name }.
Being = Eu sou { $name }, um bot de chat. Não há um modelo de linguagem conectado: só algumas regras respondem a você. "ajuda" mostra o que elas sabem fazer.
Fine = Todas as minhas regras funcionam, obrigado!
Bye = Tchau!
