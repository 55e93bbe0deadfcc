Welcome = /help lists commands, exit or Ctrl-D leaves, Alt-Enter begins a new line, Ctrl-R searches what you typed.
AtWork = { $seconds } s · Ctrl-C stops
NotAnswered = this is not answered: the terminal's user may not speak to the bot
NotStored = the message could not be stored, trying again: { $error }
ServerGone = the server does not answer; trying again
ServerBack = connected to the server again
NotText = that line is lost: it is not UTF-8; set the terminal's encoding to UTF-8
