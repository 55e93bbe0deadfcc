Greeting = Hello! I'm { $name }. No language model is connected yet, so only a few rules answer; "help" shows what they can do.
Hello = Hello!
Welcome = You are welcome.
Help =
    I'm { $name }. No language model is connected, so a few rules answer. They can:
    - calculate and convert: "17 * 23", "5 km in miles", "20 °C in °F"
    - tell times and dates: "what time is it in Tokyo?", "how many days until Christmas?"
    - look up the weather: "weather in Oslo tomorrow"
    - remember and recall: "my cat is called Miro", "what is my cat called?", "what do you know about me?"
    - remind you: "remind me in 10 minutes to stretch", "my reminders"

    For everything else give me a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or run `clifford init` (Ollama and other local servers too).
NeedsModel = I'm only a few rules; give me a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or run `clifford init` (Ollama and other local servers too). "help" shows what I can do without.
Name = My name is { $name }.
Being = I'm { $name }, a chat bot. No language model is connected, so only a few rules answer you; "help" shows what they can do.
Fine = All my rules work, thank you!
Bye = Goodbye!
