Thinking = Thinking
OwnTask = Working on a task of its own
Tasks = { $count ->
    [one] Working on { $count } task
   *[other] Working on { $count } tasks at once
}
SearchingWeb = Searching the web
ReadingSite = Reading `{ $site }`
ReadingPage = Reading a page
WritingFile = Writing a file
ReadingFile = Reading a file
LookingThroughFiles = Looking through files
MakingImage = Making an image
LookingAtImage = Looking at an image
ListeningToRecording = Listening to a recording
LookingThroughMemory = Looking through my memory
ReadingDocument = Reading a document
SearchingDocuments = Searching documents
Calculating = Calculating
CheckingWeather = Looking up the weather
SeeingToReminders = Looking after reminders
RollingDice = Rolling dice
LookingAround = Looking around here
Using = Using `{ $tool }`
Step = { $doing } · step { $step }
Stop = Stop
Requirements = requirements: { $content }
Plan = plan: { $content }
Artifact = artifact: { $content }
Validation = validation: { $content }
Decision = decision: { $content }
Tokens = { $model }: { $read } + { $written } tokens
