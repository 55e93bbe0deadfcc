IsOff = A memória está desligada aqui: não guardo nada novo e não uso nada do que sei.
KnowNothing = Ainda não sei nada sobre você.
KnowNothingHere = Não sei nada sobre você que eu possa dizer aqui.
Known = Isto é o que sei sobre você.
KnownHere = Isto é o que posso saber sobre você aqui.
Pinned = 📌 fica como está
Shared = 🌐 conhecido onde quer que você fale comigo
Local = 👥 conhecido onde você disse
AskInPrivate = Pergunte-me o resto em particular: o que você me conta lá fica lá.
HowToChange = `/forget KEY`, `/pin KEY`, `/share KEY` e `/private KEY` alteram; `/forget all` esquece tudo.
HowTheyCome = Guardo fatos sobre você quando uma conversa termina ou fica longa, ou na hora, se você pedir.
Forgotten = Esquecido: { $name }.
NothingToForget = Não há nada para esquecer.
ForgottenAll = { $count ->
    [one] Esquecido: { $count } item.
   *[other] Esquecidos: todos os { $count } itens.
}
OutOfUse = { $count ->
    [one] { $count } que não é mais usado
   *[other] { $count } que não são mais usados
}
DeletesAll =
    Isto apaga de vez tudo o que sei sobre você:

    { $list }

    Escreva `{ $command }` para fazer isso.
DeletesAllHere =
    Isto apaga de vez o que posso saber sobre você aqui:

    { $list }

    Escreva `{ $command }` para fazer isso.
ForgetAll = Esquecer tudo
StaysAsItIs = { $name } fica como está: do jeito que está escrito, hoje eu não guardaria isso. Apague com `/forget` e me conte de novo.
IsPinned = { $name } está fixado: fica como está até você usar `/pin` de novo ou `/forget`.
IsNotPinned = { $name } não está mais fixado: pode mudar com o que você me contar.
IsShared = { $name } agora é conhecido onde quer que você fale comigo, também na frente de outros.
IsPrivate = { $name } agora só é conhecido em particular.
Several =
    Há vários com essa chave. Qual?

    { $list }
WriteKey = Escreva qual: `{ $command } KEY`. `/memory` lista as chaves.
NoSuchKey = Não conheço a chave `{ $key }` aqui. `/memory` lista as chaves.
DidYouMean =
    Não conheço a chave `{ $key }` aqui. Você quis dizer esta?

    { $list }
