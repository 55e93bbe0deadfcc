MayCall = Darf ich das tun?
MayUseResult = Darf ich das Ergebnis hiervon hier verwenden?
MayCallSeveral = { $count ->
    [one] **Darf ich das tun?** Eine Antwort gilt für alles.
   *[other] **Darf ich diese { $count } Aufrufe machen?** Eine Antwort gilt für alle.
}
IsAsked = Frage an { $person }:
NotAskedFor = **Darum hast du nicht gebeten.** `{ $argument }` steht { $source }.
NotAskedForArgument = **Um `{ $argument }` hast du so nicht gebeten.** Es steht { $source }.
NotAskedForFollowing = **Um das Folgende hast du nicht gebeten.**
OtherArguments = { $count ->
    [one] , ebenso eine weitere Angabe
   *[other] , ebenso { $count } weitere Angaben
}
TooLong = **Das sind die ersten { $head } von { $count } Zeichen. Alle stehen in der Datei `{ $file }`: Bitte lies sie, bevor du zustimmst.**
HowToAnswer = `{ $approve }` oder `{ $deny }`, innerhalb von { $left }.
NoArguments = keine Angaben
Minutes = { $count ->
    [one] 1 Minute
   *[other] { $count } Minuten
}
Hours = { $count ->
    [one] 1 Stunde
   *[other] { $count } Stunden
}
Days = { $count ->
    [one] 1 Tag
   *[other] { $count } Tagen
}
Approve = Erlauben
Deny = Ablehnen
AlwaysHere = Hier immer
FromPerson = deine Nachricht
FromNothing = der übliche Wert
FromResult = Ergebnis von { $command }
FromField = Ergebnis von { $command }, Feld { $field }
OnlyIn = nur in { $read } ({ $command })
In = in { $read } ({ $command })
OnlyInResult = nur im Ergebnis von { $command }
InResult = im Ergebnis von { $command }
FromModel = meine eigenen Worte
FromModelHolding = meine eigenen Worte, mit { $text } { $source }
Unanswered = ⌛ **Nicht rechtzeitig beantwortet.**
ApprovedBy = ✅ **Erlaubt** von { $person }.
ApprovedAlwaysBy = ✅ **Erlaubt** von { $person }, ab jetzt in dieser Unterhaltung.
DeniedBy = ❌ **Abgelehnt** von { $person }.
Operator = dem Betreiber
QuestionEdited = ⏹️ **Nicht beantwortet**: Die Nachricht dazu wurde bearbeitet.
Interrupted = ⏹️ **Nicht beantwortet**: Eine neuere Nachricht ging vor.
NotNeeded = ⏹️ **Nicht beantwortet**: Es wird nicht mehr gebraucht.
Stopped = ⏹️ **Nicht beantwortet**: Ich wurde angehalten.
HowToApprove = Schreib `/approve`, oder `/approve` mit der Kennung meiner Frage.
NoSuchQuestion = So eine Frage kenne ich nicht. `/approve` allein beantwortet die offene.
NothingOpen = Ich warte hier auf keine Antwort von dir.
WasDenied = Abgelehnt: `{ $name }`.
WasApproved = Erlaubt: `{ $name }`.
WasApprovedAlways = Erlaubt: `{ $name }`. In dieser Unterhaltung frage ich dich davor nicht mehr.
NotSeen = Diese Frage hast du noch nicht gesehen. Bitte lies sie zuerst.
Settled = Das ist schon erledigt: Es wurde beantwortet, die Zeit ist um, ich wurde angehalten, oder eine neuere Nachricht ging vor.
Earlier = Das war eine frühere Frage von mir; bitte beantworte die neueste.
NotYours = Das kann nur die Person beantworten, die ich gefragt habe, oder wer diesen Ort verwaltet.
NoRule = Das lässt sich nicht dauerhaft erlauben: Worte von außen könnten darum gebeten haben, oder eine Regel will jedes Mal gefragt werden. `/approve` erlaubt es dieses eine Mal.
SeveralOpen = { $count ->
    [one] Hier ist 1 Frage offen, oben gezeigt. Drück bitte einen Knopf, oder nenne sie, auch mit `/deny`:
   *[other] Hier sind { $count } Fragen offen, alle oben gezeigt. Drück bitte einen Knopf, oder nenne die gemeinte, auch mit `/deny`:
}
AndMore = { $count ->
    [one] und 1 weiterer
   *[other] und { $count } weitere
}
