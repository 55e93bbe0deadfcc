OnlyInPrivate = As contas só são vinculadas e separadas em um chat particular comigo. Escreva para mim lá.
CodeBelongs = Este código é de **{ $person }**.
WasMadeOn = Foi criado em { $platform } por { $name } (`{ $account }`).
YouBecome = Se continuar, você passa a fazer parte de **{ $person }**: quem usa aquela conta vai ler o que você me contou aqui em particular{ $known }, suas conversas, arquivos, lembretes e configurações, e poderá fazer o que você pode.
ThingsKnown = { $count ->
    [one] , o { $count } fato que lembro de você
   *[other] , os { $count } fatos que lembro de você
}
OnlyIfYours = Faça isso só se aquela conta for **sua**. Se alguém lhe deu este código, ou pediu que você o digitasse, não continue: nada foi vinculado.
ToLink = Para vincular as duas, envie `{ $command }` em até 10 minutos.
BothAreMine = As duas são minhas: vincular
BadLinkCode = Esse código não vale, ou não vale mais: nada foi vinculado. Digite de novo o código da outra conta: `/link CODE`.
OtherAccount = Você foi perguntado em outra conta: nada foi vinculado.
Linked = Vinculadas. Você é { $person } em todas estas:{ $accounts }
YourCode =
    Seu código é `{ $code }`. Vale uma vez, por { $minutes } minutos. Escreva `/link { $code }` para mim em um chat particular na sua outra conta.

    A partir daí, as duas contas são uma só pessoa para mim: elas compartilham o que lembro de você, suas conversas, arquivos e configurações, e cada uma pode o que a outra pode.

    Digite códigos só em contas que são suas. Nunca digite um que outra pessoa lhe deu, e nunca dê este a ninguém: quem vincula a conta à sua lê tudo.
NoSuchCode = Não conheço esse código. Os códigos valem uma vez e por dez minutos; `/link` na sua outra conta dá um novo.
AlreadyLinked = Essa já é você. Digite o código na sua outra conta, a que ainda não está vinculada.
TooManyTries = Foram tentativas demais. Tente de novo em { $minutes } min.
OtherWayRound = Não as vinculei: esta conta pode mais do que a que criou o código, então o código precisa vir desta. Escreva `/link` para mim aqui e digite o código na outra conta, se for sua. O código que você digitou foi anulado.
BeingErased = Não mudei nada: estou apagando tudo o que tenho de uma destas contas.
OnlyAccount = Esta é a única conta sua que conheço: não há outra da qual separá-la. `/link` vincula outra.
BadPartCode = Esse código não vale, ou não vale mais: nada foi separado. `/unlink` dá um novo.
Parted = Separada. Para mim, esta conta agora é uma pessoa à parte, com as conversas que começaram aqui e o que aprendi nelas. O resto ficou com as outras contas de **{ $person }**. As sessões do painel, as chaves de acesso e os tokens da API foram encerrados: `/dashboard` deixa você entrar de novo.
PartedHere = Separada. Para mim, esta conta agora é uma pessoa à parte, com as conversas que começaram aqui e o que aprendi nelas. O resto ficou com as outras contas de **{ $person }**. A sessão ou o token que você está usando continua, e é da nova pessoa. As outras sessões do painel, chaves de acesso e tokens da API mais recentes que esta conta foram encerrados.
ThisIsOwner = Esta conta é minha dona; as outras não são mais.
TheyAreOwner = As outras são minha dona; esta conta não é mais.
PartsThis = Isto torna a conta que você está usando uma pessoa à parte e encerra as sessões do painel, as chaves de acesso e os tokens da API. Ela leva as conversas que começaram aqui e o que aprendi nelas; o resto fica com suas outras contas:{ $accounts }
PartsHere = Isto torna a conta que você está usando uma pessoa à parte. A sessão ou o token que você está usando continua, e será dessa pessoa; as outras sessões do painel, chaves de acesso e tokens da API mais recentes que esta conta são encerrados. Ela leva as conversas que começaram aqui e o que aprendi nelas; o resto fica com suas outras contas:{ $accounts }
StaysOwner = Esta conta foi a primeira: continua sendo minha **dona**, e as outras não são mais.
NotOwnerAnyMore = Esta conta **deixará de ser minha dona**: isso fica com a conta que foi a primeira.
ToPart = Se você tem certeza, envie `{ $command }` em até 10 minutos.
PartThis = Separar esta conta
YouAre = Você é { $person }.
AtThisMachine = Você é a pessoa neste computador.
MyOwner = , meu dono
YourId = Seu identificador aqui: `{ $id }`
RememberNothing = Ainda não lembro nada de você.
Remember = { $count ->
    [one] Lembro { $count } fato de você: { $private } só em particular, { $elsewhere } também em outros lugares. `/memory` mostra.
   *[other] Lembro { $count } fatos de você: { $private } só em particular, { $elsewhere } também em outros lugares. `/memory` mostra.
}
PartsAgain = `/unlink` separa uma conta de novo.
