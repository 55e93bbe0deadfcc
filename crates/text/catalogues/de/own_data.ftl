InPrivate = Das bleibt unter uns: Schick `{ $command }` im privaten Chat.
GetItAt = Du bekommst es unter `{ $address }`, oder bitte meinen Betreiber um `{ $command }`.
TooMuch = Von dir habe ich zu viel, um es hier zu schicken: Bitte meinen Betreiber um `{ $command }`.
SendAgain = Bitte schick `/export` noch einmal.
Exported = Alles, was ich von dir habe, als JSON Lines.
BeingDeleted = Alles, was ich von dir habe, wird gelöscht; das ist die letzte Nachricht. Wenn du mir wieder schreibst, kenne ich dich nicht mehr.
BadCode = Der Code stimmt nicht, oder nicht mehr: Es wurde nichts gelöscht. `/erase` gibt dir einen neuen.
NothingDeleted = Es wurde nichts gelöscht. `/erase` sagt, was gelöscht würde und wie es weitergeht.
DeletesEverything =
    Das löscht endgültig alles, was ich von dir habe: was du mir gesagt hast und was ich geantwortet habe, hier und überall sonst, was ich mir von dir merke, deine Erinnerungen, Dateien, Einstellungen und Konten, und was ich anderen von dir zitiert habe. Niemand kann es zurückholen; `/export` gibt dir vorher eine Kopie.

    Wenn du sicher bist, schick innerhalb von 10 Minuten `{ $command }`.
DeleteEverything = Alles löschen
