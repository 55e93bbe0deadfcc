Greeting = Bonjour ! Je suis { $name }. Aucun modèle de langage n’est encore connecté : seules quelques règles répondent. « aide » montre ce qu’elles savent faire.
Hello = Bonjour !
Welcome = Je t’en prie.
Help =
    Je suis { $name }. Aucun modèle de langage n’est connecté : quelques règles répondent, qui comprennent l’anglais et l’allemand. Elles savent :
    - calculer et convertir : "17 * 23", "5 km in miles", "20 °C in °F"
    - donner l’heure et la date : "what time is it in Tokyo?", "how many days until Christmas?"
    - consulter la météo : "weather in Oslo tomorrow"
    - retenir des choses : "my cat is called Miro", "what is my cat called?", "what do you know about me?"
    - envoyer des rappels : "remind me in 10 minutes to stretch", "my reminders"

    Pour tout le reste, donne-moi un modèle : définis OPENAI_API_KEY ou ANTHROPIC_API_KEY, ou lance `clifford init` (aussi pour Ollama et d’autres serveurs locaux).
NeedsModel = Je ne suis que quelques règles ; donne-moi un modèle : définis OPENAI_API_KEY ou ANTHROPIC_API_KEY, ou lance `clifford init` (aussi pour Ollama et d’autres serveurs locaux). « aide » montre ce que je sais faire sans lui.
Name = Je m’appelle { $name }.
Being = Je suis { $name }, un robot de discussion. Aucun modèle de langage n’est connecté : seules quelques règles te répondent. « aide » montre ce qu’elles savent faire.
Fine = Toutes mes règles fonctionnent, merci !
Bye = Au revoir !
