Thinking = Je réfléchis
OwnTask = Je traite une tâche à part
Tasks = { $count ->
    [one] Je traite { $count } tâche
   *[other] Je traite { $count } tâches à la fois
}
SearchingWeb = Je cherche sur le Web
ReadingSite = Je lis `{ $site }`
ReadingPage = Je lis une page
WritingFile = J’écris un fichier
ReadingFile = Je lis un fichier
LookingThroughFiles = Je parcours les fichiers
MakingImage = Je crée une image
LookingAtImage = Je regarde une image
ListeningToRecording = J’écoute un enregistrement
LookingThroughMemory = Je cherche dans ma mémoire
ReadingDocument = Je lis un document
SearchingDocuments = Je cherche dans les documents
Calculating = Je calcule
CheckingWeather = Je regarde la météo
SeeingToReminders = Je m’occupe des rappels
RollingDice = Je lance les dés
LookingAround = Je regarde ce qu’il y a ici
Using = J’utilise `{ $tool }`
Step = { $doing } · étape { $step }
Stop = Arrêter
Requirements = exigences : { $content }
Plan = plan : { $content }
Artifact = résultat intermédiaire : { $content }
Validation = vérification : { $content }
Decision = décision : { $content }
Tokens = { $model } : { $read } + { $written } tokens
