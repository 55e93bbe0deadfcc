CannotHear = Ainda não entendo mensagens de voz. Meu dono pode ativar isso ([llm.roles.transcription]). Até lá, escreva para mim, por favor.
CannotHearOwner = Ainda não entendo mensagens de voz. Para que eu possa, defina [llm.roles.transcription] em bot.toml: a documentação explica como, em “voice”. Até lá, escreva para mim, por favor.
