Thinking = Ich denke nach
OwnTask = Eine Teilaufgabe läuft
Tasks = { $count ->
    [one] Eine Teilaufgabe läuft ({ $count })
   *[other] { $count } Teilaufgaben laufen zugleich
}
SearchingWeb = Ich suche im Web
ReadingSite = Ich lese `{ $site }`
ReadingPage = Ich lese eine Seite
WritingFile = Ich schreibe eine Datei
ReadingFile = Ich lese eine Datei
LookingThroughFiles = Ich sehe Dateien durch
MakingImage = Ich mache ein Bild
LookingAtImage = Ich sehe mir ein Bild an
ListeningToRecording = Ich höre eine Aufnahme an
LookingThroughMemory = Ich sehe nach, was ich mir gemerkt habe
ReadingDocument = Ich lese ein Dokument
SearchingDocuments = Ich suche in Dokumenten
Calculating = Ich rechne
CheckingWeather = Ich sehe nach dem Wetter
SeeingToReminders = Ich kümmere mich um Erinnerungen
RollingDice = Ich würfle
LookingAround = Ich sehe mich hier um
Using = Ich benutze `{ $tool }`
Step = { $doing } · Schritt { $step }
Stop = Anhalten
Requirements = Anforderungen: { $content }
Plan = Plan: { $content }
Artifact = Zwischenergebnis: { $content }
Validation = Prüfung: { $content }
Decision = Entscheidung: { $content }
Tokens = { $model }: { $read } + { $written } Token
