Welcome = /help mostra os comandos, exit ou Ctrl-D sai, Alt-Enter começa outra linha, Ctrl-R busca no que você digitou.
AtWork = { $seconds } s · Ctrl-C para
NotAnswered = isto não é respondido: quem usa este terminal não pode falar com o bot
NotStored = a mensagem não pôde ser guardada, tentando de novo: { $error }
ServerGone = o servidor não responde, tentando de novo
ServerBack = conectado ao servidor de novo
NotText = essa linha se perdeu: não é UTF-8; mude a codificação do terminal para UTF-8
