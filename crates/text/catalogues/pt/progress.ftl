Thinking = Pensando
OwnTask = Trabalhando em uma tarefa à parte
Tasks = { $count ->
    [one] Trabalhando em { $count } tarefa
   *[other] Trabalhando em { $count } tarefas ao mesmo tempo
}
SearchingWeb = Pesquisando na web
ReadingSite = Lendo `{ $site }`
ReadingPage = Lendo uma página
WritingFile = Escrevendo um arquivo
ReadingFile = Lendo um arquivo
LookingThroughFiles = Olhando os arquivos
MakingImage = Criando uma imagem
LookingAtImage = Olhando uma imagem
ListeningToRecording = Ouvindo uma gravação
LookingThroughMemory = Procurando na minha memória
ReadingDocument = Lendo um documento
SearchingDocuments = Procurando nos documentos
Calculating = Calculando
CheckingWeather = Consultando o tempo
SeeingToReminders = Cuidando dos lembretes
RollingDice = Jogando os dados
LookingAround = Olhando o que há aqui
Using = Usando `{ $tool }`
Step = { $doing } · passo { $step }
Stop = Parar
Requirements = requisitos: { $content }
Plan = plano: { $content }
Artifact = resultado parcial: { $content }
Validation = verificação: { $content }
Decision = decisão: { $content }
Tokens = { $model }: { $read } + { $written } tokens
