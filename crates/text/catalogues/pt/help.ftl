AboutChats = Conversas
AboutMemory = O que eu lembro
AboutWork = O que estou fazendo
AboutYou = Suas contas e seus dados
AboutOwner = O que um dono pode fazer
BeginPrivate = É só me escrever: eu respondo, lembro do que importa e posso te avisar na hora certa.
BeginShared = Mencione-me ou responda a mim e eu respondo. Todo mundo aqui lê.
Unknown = Não tenho ajuda sobre `{ $topic }`.
Leaving = `exit`, `quit` ou Ctrl-D para sair; Ctrl-C interrompe uma resposta.
Owner = **O que um dono pode fazer**

    - `/pair`: ver quem pede acesso e decidir
    - Aprovar ou negar o que pergunto aos outros, onde quer que seja

    Onde eu rodo, `clifford --help` mostra o resto: pessoas, regras, orçamentos, configurações.
Managers = Quem administra este lugar pode aprovar e negar por todos aqui.
Line = `/{ $form }`: { $about }
LineInPrivate = `/{ $form }`: { $about } (em um chat particular comigo)
HowToAsk = Escreva sua pergunta em seguida, por exemplo `/ask a que distância fica a Lua?`.
NoSuchCommand = Não conheço o comando `/{ $name }`. `/help` mostra os que conheço.
