Greeting = こんにちは！{ $name } です。まだ言語モデルが接続されていないので、いくつかのルールだけで答えます。「ヘルプ」で、できることを表示します。
Hello = こんにちは！
Welcome = どういたしまして。
Help =
    { $name } です。言語モデルが接続されていないので、英語とドイツ語がわかるいくつかのルールで答えます。できること：
    - 計算と単位の換算："17 * 23"、"5 km in miles"、"20 °C in °F"
    - 時刻と日付："what time is it in Tokyo?"、"how many days until Christmas?"
    - 天気："weather in Oslo tomorrow"
    - 覚えること："my cat is called Miro"、"what is my cat called?"、"what do you know about me?"
    - リマインダー："remind me in 10 minutes to stretch"、"my reminders"

    それ以外のことには、モデルを設定してください：OPENAI_API_KEY か ANTHROPIC_API_KEY を設定するか、`clifford init` を実行してください（Ollama などのローカルサーバーも使えます）。
NeedsModel = 私はいくつかのルールだけで動いています。モデルを設定してください：OPENAI_API_KEY か ANTHROPIC_API_KEY を設定するか、`clifford init` を実行してください（Ollama などのローカルサーバーも使えます）。「ヘルプ」で、モデルなしでできることを表示します。
Name = { $name } といいます。
Being = { $name } です。チャットボットです。言語モデルが接続されていないので、いくつかのルールだけで答えます。「ヘルプ」で、できることを表示します。
Fine = ルールはすべて正常に動いています。ありがとうございます！
Bye = さようなら！
