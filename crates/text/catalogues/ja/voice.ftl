CannotHear = 音声メッセージはまだ理解できません。私のオーナーが有効にできます（[llm.roles.transcription]）。それまでは文字で書いてください。
CannotHearOwner = 音声メッセージはまだ理解できません。理解できるようにするには、bot.toml の [llm.roles.transcription] を設定してください。手順はドキュメントの「voice」にあります。それまでは文字で書いてください。
