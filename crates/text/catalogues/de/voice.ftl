CannotHear = Sprachnachrichten verstehe ich noch nicht. Mein Besitzer kann das einschalten ([llm.roles.transcription]). Schreib mir bis dahin bitte.
CannotHearOwner = Sprachnachrichten verstehe ich noch nicht. Damit ich es kann, setze [llm.roles.transcription] in bot.toml: Die Dokumentation zeigt unter „voice“, wie das geht. Schreib mir bis dahin bitte.
