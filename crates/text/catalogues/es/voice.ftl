CannotHear = Todavía no entiendo los mensajes de voz. Mi propietario puede activarlo ([llm.roles.transcription]). Hasta entonces, escríbeme, por favor.
CannotHearOwner = Todavía no entiendo los mensajes de voz. Para que pueda, define [llm.roles.transcription] en bot.toml: la documentación lo explica en «voice». Hasta entonces, escríbeme, por favor.
