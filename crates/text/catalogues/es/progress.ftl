Thinking = Pensando
OwnTask = Trabajando en una tarea aparte
Tasks = { $count ->
    [one] Trabajando en { $count } tarea
   *[other] Trabajando en { $count } tareas a la vez
}
SearchingWeb = Buscando en la web
ReadingSite = Leyendo `{ $site }`
ReadingPage = Leyendo una página
WritingFile = Escribiendo un archivo
ReadingFile = Leyendo un archivo
LookingThroughFiles = Mirando los archivos
MakingImage = Creando una imagen
LookingAtImage = Mirando una imagen
ListeningToRecording = Escuchando una grabación
LookingThroughMemory = Buscando en lo que recuerdo
ReadingDocument = Leyendo un documento
SearchingDocuments = Buscando en los documentos
Calculating = Calculando
CheckingWeather = Consultando el tiempo
SeeingToReminders = Ocupándome de los recordatorios
RollingDice = Tirando los dados
LookingAround = Mirando qué hay aquí
Using = Usando `{ $tool }`
Step = { $doing } · paso { $step }
Stop = Parar
Requirements = requisitos: { $content }
Plan = plan: { $content }
Artifact = resultado parcial: { $content }
Validation = comprobación: { $content }
Decision = decisión: { $content }
Tokens = { $model }: { $read } + { $written } tokens
