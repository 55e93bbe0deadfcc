Welcome = /help muestra los comandos, exit o Ctrl-D sale, Alt-Intro empieza otra línea, Ctrl-R busca en lo que escribiste.
AtWork = { $seconds } s · Ctrl-C para
NotAnswered = esto no se responde: quien escribe en esta terminal no puede hablar con el bot
NotStored = el mensaje no se pudo guardar, lo intento otra vez: { $error }
ServerGone = el servidor no responde, lo intento otra vez
ServerBack = conectado de nuevo con el servidor
NotText = esa línea se ha perdido: no es UTF-8; cambia la codificación del terminal a UTF-8
