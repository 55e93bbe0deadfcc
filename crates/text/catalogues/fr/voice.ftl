CannotHear = Je ne comprends pas encore les messages vocaux. Mon propriétaire peut activer cela ([llm.roles.transcription]). En attendant, écris-moi, s’il te plaît.
CannotHearOwner = Je ne comprends pas encore les messages vocaux. Pour que je le puisse, renseigne [llm.roles.transcription] dans bot.toml : la documentation explique comment, sous « voice ». En attendant, écris-moi, s’il te plaît.
