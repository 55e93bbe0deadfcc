Stopped = Parado.
NothingToStop = Não há nada para parar.
EndedAlready = Isto já terminou.
NotYoursToStop = Só quem pediu isto, ou quem administra este lugar, pode parar.
RatingThanks = Obrigado, anotado.
NoSuchAnswer = Não encontro essa resposta aqui.
UndoUnknown = Não conheço essa resposta. `/undo` sozinho desfaz a última.
NothingToUndo = Não há nada para desfazer.
UndoneAlready = Isso já foi desfeito.
UndoTooLate = Isso foi há mais de uma hora, tempo demais para desfazer. Diga o que devo mudar em vez disso.
UndoNotYours = Só pode desfazer a pessoa para quem fiz isso.
Undone = Desfeito: { $what }.
NotUndone = Não desfeito: { $what }.
PairNotYours = Só um dono meu decide quem pode falar comigo.
PairInPrivate = Isso fica entre nós: envie `/pair` em um chat particular.
HowToPair = Escreva `/pair` para ver quem espera, ou `/pair approve telegram:123`; `refuse` e `block` funcionam igual.
PairSettled = Isso já está decidido, ou ninguém pediu com essa conta. `/pair` mostra quem espera.
MayTalk = { $person } já pode falar comigo e foi avisado.
WasRefused = { $person } foi avisado de que não tem acesso. Pode pedir de novo.
WasBlocked = Não escuto mais { $person }.
NobodyWaits = Ninguém espera acesso.
TheyWait = Estas pessoas esperam acesso:
MoreWait = { $count ->
    [one] e mais { $count }: `clifford pair list`
   *[other] e mais { $count }: `clifford pair list`
}
HowToKeepOut = `/pair refuse CONTA` e `/pair block CONTA` as deixam de fora.
ApprovePerson = Aprovar { $person }
LetIn = Meu dono deu acesso a você. Em que posso ajudar? /help mostra o que sei fazer.
NotLetIn = Meu dono não dá acesso a você por enquanto.
YouAreOwner = Agora você é meu dono. Em que posso ajudar? `/help` mostra meus comandos.
OnlyKnown = Olá! Só falo com pessoas que meu dono conhece. Seu código é `{ $code }`; peça ao meu dono para rodar `clifford pair approve { $code }` em até uma hora.
IfYours = Se sou o seu bot, envie-me o código que `clifford serve` mostrou ao iniciar; `clifford pair claim` mostra outro.
NotTheCode = Esse não é o código, ou ele já não é válido.
AsksToBeLetIn = **{ $person }** me escreveu em particular e pede acesso ({ $account }).
MayTheyTalk = Essa pessoa pode falar comigo?
MoreMayAsk = Talvez mais pessoas peçam nesta hora, sem que eu avise.
PairLists = `/pair` lista todos os que esperam.
ApproveButton = Aprovar
RefuseButton = Recusar
BlockButton = Bloquear
ApprovedBy = ✅ **Aprovado** por { $person }.
RefusedBy = ❌ **Recusado** por { $person }.
BlockedBy = 🚫 **Bloqueado** por { $person }.
OnlyKnownHere = Só respondo a pessoas que meu dono conhece.
OwnerWasAsked = Perguntei ao meu dono se posso responder a todos aqui.
AsksInPlace = **{ $person }** falou comigo em **{ $place }** ({ $id }), onde só respondo a quem você liberou.
MayEverybodyThere = Todos de lá podem falar comigo?
EverybodyButton = Todos de lá
NobodyMoreButton = Deixar assim
EverybodyBy = ✅ **Todos de lá** podem falar comigo: decisão de { $person }.
NobodyMoreBy = ❌ **Fica como está**: decisão de { $person }.
EverybodyMayTalk = Agora todos em { $place } podem falar comigo, e foram avisados.
NobodyMore = Em { $place } continuo respondendo só a quem conheço, e não pergunto mais. `/pair everybody` com o endereço libera todos.
NoSuchPlace = Não conheço esse lugar.
EverybodyLetIn = Meu dono permite que todos aqui falem comigo. /help mostra o que posso fazer.
MinutesLate = { $count ->
    [one] { $count } minuto de atraso
   *[other] { $count } minutos de atraso
}
HoursLate = { $count ->
    [one] { $count } hora de atraso
   *[other] { $count } horas de atraso
}
DaysLate = { $count ->
    [one] { $count } dia de atraso
   *[other] { $count } dias de atraso
}
GreetingOpen = Olá! Respondo perguntas, lembro do que importa para vocês e posso avisar na hora certa. Mencionem-me ou respondam a mim, e todos leem minha resposta; o resto do que vocês escrevem eu deixo em paz. Quem administra este lugar pode me configurar com /settings e aprovar ou negar o que pergunto.
GreetingKnown = Olá! Respondo perguntas, lembro do que importa e posso avisar na hora certa. Mencionem-me ou respondam a mim, e todos leem minha resposta; o resto do que vocês escrevem eu deixo em paz. Respondo a quem meu dono conhece: ele pode dar acesso a mais pessoas, ou a este lugar todo. Quem o administra pode me configurar com /settings.
WhatICanDo = O que sei fazer
SetMeUp = Configurar
