MayCall = Posso fazer isto?
MayUseResult = Posso usar aqui o que isto retornou?
MayCallSeveral = { $count ->
    [one] **Posso fazer isto?** Uma resposta vale para tudo.
   *[other] **Posso fazer estas { $count } chamadas?** Uma resposta vale para todas.
}
IsAsked = Pergunta para { $person }:
NotAskedFor = **Você não pediu isto.** `{ $argument }` está { $source }.
NotAskedForArgument = **Você não pediu este `{ $argument }`.** Está { $source }.
NotAskedForFollowing = **Você não pediu o que vem a seguir.**
OtherArguments = { $count ->
    [one] , assim como outro dado
   *[other] , assim como outros { $count } dados
}
TooLong = **Estes são os primeiros { $head } de { $count } caracteres. Todos estão no arquivo `{ $file }`: leia antes de aprovar.**
HowToAnswer = `{ $approve }` ou `{ $deny }`, em até { $left }.
NoArguments = sem dados
Minutes = { $count ->
    [one] { $count } minuto
   *[other] { $count } minutos
}
Hours = { $count ->
    [one] { $count } hora
   *[other] { $count } horas
}
Days = { $count ->
    [one] { $count } dia
   *[other] { $count } dias
}
Approve = Aprovar
Deny = Negar
AlwaysHere = Sempre aqui
FromPerson = sua mensagem
FromNothing = o valor de costume
FromResult = resultado de { $command }
FromField = resultado de { $command }, campo { $field }
OnlyIn = só em { $read } ({ $command })
In = em { $read } ({ $command })
OnlyInResult = só no resultado de { $command }
InResult = no resultado de { $command }
FromModel = minhas próprias palavras
FromModelHolding = minhas próprias palavras, com { $text } { $source }
Unanswered = ⌛ **Sem resposta** a tempo.
ApprovedBy = ✅ **Aprovado** por { $person }.
ApprovedAlwaysBy = ✅ **Aprovado** por { $person }, de agora em diante nesta conversa.
DeniedBy = ❌ **Negado** por { $person }.
Operator = o operador
QuestionEdited = ⏹️ **Sem resposta**: a mensagem foi editada.
Interrupted = ⏹️ **Sem resposta**: uma mensagem mais nova tomou o lugar.
NotNeeded = ⏹️ **Sem resposta**: não é mais necessário.
Stopped = ⏹️ **Sem resposta**: me pararam.
HowToApprove = Escreva `/approve`, ou `/approve` com o identificador do que perguntei.
NoSuchQuestion = Não conheço essa pergunta. `/approve` sozinho responde à que está aberta.
NothingOpen = Não estou esperando uma resposta sua aqui.
WasDenied = Negado: `{ $name }`.
WasApproved = Aprovado: `{ $name }`.
WasApprovedAlways = Aprovado: `{ $name }`. Nesta conversa não vou perguntar de novo antes de usar.
NotSeen = Você ainda não viu esta pergunta. Leia primeiro, por favor.
Settled = Isso já está resolvido: foi respondido, o tempo acabou, me pararam ou uma mensagem mais nova tomou o lugar.
Earlier = Essa era uma pergunta anterior minha; responda à mais recente, por favor.
NotYours = Só pode responder a pessoa a quem perguntei, ou quem administra este lugar.
NoRule = Isto não pode ser aprovado para sempre: palavras de fora podem ter pedido isso, ou uma regra quer que se pergunte sempre. `/approve` aprova só desta vez.
SeveralOpen = { $count ->
    [one] Há { $count } pergunta aberta aqui, mostrada acima. Toque em um botão, ou diga qual é, também com `/deny`:
   *[other] Há { $count } perguntas abertas aqui, todas mostradas acima. Toque em um botão, ou diga qual você quer, também com `/deny`:
}
AndMore = { $count ->
    [one] e mais { $count }
   *[other] e mais { $count }
}
