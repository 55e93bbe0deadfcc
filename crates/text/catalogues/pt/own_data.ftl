InPrivate = Isso fica entre nós: envie `{ $command }` em um chat particular.
GetItAt = Pegue em `{ $address }`, ou peça `{ $command }` a quem me opera.
TooMuch = Tenho dados demais sobre você para enviar aqui: peça `{ $command }` a quem me opera.
SendAgain = Envie `/export` de novo, por favor.
Exported = Tudo o que tenho sobre você, em JSON Lines.
BeingDeleted = Tudo o que tenho sobre você está sendo apagado; esta é a última mensagem. Se você me escrever de novo, não vou conhecer você.
BadCode = Esse código não vale, ou não vale mais: nada foi apagado. `/erase` dá um novo.
NothingDeleted = Nada foi apagado. `/erase` diz o que seria, e como continuar.
DeletesEverything =
    Isto apaga de vez tudo o que tenho sobre você: o que você me contou e o que respondi, aqui e em todo lugar, o que lembro de você, seus lembretes, arquivos, configurações e contas, e o que citei de você a outros. Ninguém pode recuperar; `/export` dá uma cópia antes.

    Se você tem certeza, envie `{ $command }` em até 10 minutos.
DeleteEverything = Apagar tudo
