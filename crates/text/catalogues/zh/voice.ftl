CannotHear = 我还听不懂语音消息。我的所有者可以开启这个功能（[llm.roles.transcription]）。在那之前，请给我打字。
CannotHearOwner = 我还听不懂语音消息。要让我听懂，请在 bot.toml 里设置 [llm.roles.transcription]：文档的“voice”一页有说明。在那之前，请给我打字。
