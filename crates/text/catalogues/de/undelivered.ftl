Refused = Tut mir leid, ich konnte meine Antwort hier nicht senden: Sie wurde abgewiesen. Frag bitte noch einmal, oder bitte um eine kürzere Antwort.
TooLong = Tut mir leid, eine Antwort von mir ließ sich hier lange nicht senden. Frag bitte noch einmal.
Files = { $count ->
    [one] Tut mir leid, ich konnte dir die Datei { $names } nicht senden. Bitte mich noch einmal darum, oder in anderer Form.
   *[other] Tut mir leid, ich konnte dir die Dateien { $names } nicht senden. Bitte mich noch einmal darum, oder in anderer Form.
}
FilesOfNoName = { $count ->
    [one] Tut mir leid, ich konnte dir die Datei, die hierher gehört, nicht senden. Bitte mich noch einmal darum, oder in anderer Form.
   *[other] Tut mir leid, ich konnte dir die Dateien, die hierher gehören, nicht senden. Bitte mich noch einmal darum, oder in anderer Form.
}
NorFiles = { $count ->
    [one] Auch die Datei dazu wurde nicht gesendet: { $names }.
   *[other] Auch die Dateien dazu wurden nicht gesendet: { $names }.
}
