CannotHear = I cannot understand voice messages yet. My owner can turn that on ([llm.roles.transcription]). Until then, please write to me.
CannotHearOwner = I cannot understand voice messages yet. To let me, set [llm.roles.transcription] in bot.toml: the documentation tells how, under “voice”. Until then, please write to me.
