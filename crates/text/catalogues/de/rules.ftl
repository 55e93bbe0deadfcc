Greeting = Hallo! Ich bin { $name }. Noch ist kein Sprachmodell verbunden, deshalb antworten nur ein paar Regeln; „Hilfe“ zeigt, was sie können.
Hello = Hallo!
Welcome = Gern geschehen.
Help =
    Ich bin { $name }. Es ist kein Sprachmodell verbunden, deshalb antworten ein paar Regeln. Sie können:
    - rechnen und umrechnen: „17 * 23“, „5 km in Meilen“, „20 °C in °F“
    - Zeit und Datum nennen: „Wie spät ist es in Tokio?“, „Wie viele Tage bis Weihnachten?“
    - das Wetter nachsehen: „Wetter in Oslo morgen“
    - sich etwas merken: „Meine Katze heißt Miro“, „Wie heißt meine Katze?“, „Was weißt du über mich?“
    - dich erinnern: „Erinnere mich in 10 Minuten daran, zu lüften“, „meine Erinnerungen“

    Für alles andere gib mir ein Modell: setze OPENAI_API_KEY oder ANTHROPIC_API_KEY, oder starte `clifford init` (auch für Ollama und andere lokale Server).
NeedsModel = Ich bin nur ein paar Regeln; gib mir ein Modell: setze OPENAI_API_KEY oder ANTHROPIC_API_KEY, oder starte `clifford init` (auch für Ollama und andere lokale Server). „Hilfe“ zeigt, was ich ohne kann.
Name = Ich heiße { $name }.
Being = Ich bin { $name }, ein Chatbot. Es ist kein Sprachmodell verbunden, deshalb antworten dir nur ein paar Regeln; „Hilfe“ zeigt, was sie können.
Fine = Alle meine Regeln funktionieren, danke!
Bye = Tschüss!
