Stopped = Angehalten.
NothingToStop = Es gibt nichts anzuhalten.
EndedAlready = Das ist schon zu Ende.
NotYoursToStop = Das kann nur anhalten, wer darum gebeten hat oder diesen Ort verwaltet.
RatingThanks = Danke, ist notiert.
NoSuchAnswer = So eine Antwort finde ich hier nicht.
UndoUnknown = So eine Antwort kenne ich nicht. `/undo` allein nimmt die letzte zurück.
NothingToUndo = Es gibt nichts zurückzunehmen.
UndoneAlready = Das ist schon zurückgenommen.
UndoTooLate = Das ist über eine Stunde her, zu lange, um es zurückzunehmen. Sag mir stattdessen, was ich ändern soll.
UndoNotYours = Das kann nur zurücknehmen, für wen ich es getan habe.
Undone = Zurückgenommen: { $what }.
NotUndone = Nicht zurückgenommen: { $what }.
PairNotYours = Wer mit mir sprechen darf, entscheiden nur meine Besitzer.
PairInPrivate = Das bleibt unter uns: Schick `/pair` im privaten Chat.
HowToPair = Schreib `/pair`, um zu sehen, wer wartet, oder `/pair approve telegram:123`; `refuse` und `block` gehen genauso.
PairSettled = Das ist schon entschieden, oder niemand hat mit diesem Konto gefragt. `/pair` zeigt, wer wartet.
MayTalk = { $person } darf jetzt mit mir sprechen und weiß Bescheid.
WasRefused = { $person } weiß jetzt, dass es nicht geht. Neu fragen ist erlaubt.
WasBlocked = Auf { $person } höre ich nicht mehr.
NobodyWaits = Niemand wartet auf Zulassung.
TheyWait = Diese Personen möchten zugelassen werden:
MoreWait = { $count ->
    [one] und 1 weitere: `clifford pair list`
   *[other] und { $count } weitere: `clifford pair list`
}
HowToKeepOut = `/pair refuse KONTO` und `/pair block KONTO` weisen sie ab.
ApprovePerson = { $person } zulassen
LetIn = Mein Besitzer hat dich zugelassen. Was kann ich für dich tun? /help zeigt, was ich kann.
NotLetIn = Mein Besitzer lässt dich vorerst nicht zu.
YouAreOwner = Du bist jetzt mein Besitzer. Was kann ich für dich tun? `/help` zeigt meine Befehle.
OnlyKnown = Hallo! Ich spreche nur mit Leuten, die mein Besitzer kennt. Dein Code ist `{ $code }`; bitte meinen Besitzer, innerhalb einer Stunde `clifford pair approve { $code }` auszuführen.
IfYours = Wenn ich dein Bot bin, schick mir den Code, den `clifford serve` beim Start gezeigt hat; `clifford pair claim` zeigt einen neuen.
NotTheCode = Das ist nicht der Code, oder er gilt nicht mehr.
AsksToBeLetIn = **{ $person }** hat mir privat geschrieben und möchte zugelassen werden ({ $account }).
MayTheyTalk = Darf diese Person mit mir sprechen?
MoreMayAsk = Innerhalb dieser Stunde fragen vielleicht noch mehr Leute, von denen ich dir nichts sage.
PairLists = `/pair` zeigt alle, die warten.
ApproveButton = Zulassen
RefuseButton = Ablehnen
BlockButton = Blockieren
ApprovedBy = ✅ **Zugelassen** von { $person }.
RefusedBy = ❌ **Abgelehnt** von { $person }.
BlockedBy = 🚫 **Blockiert** von { $person }.
OnlyKnownHere = Ich antworte nur Leuten, die mein Besitzer kennt.
OwnerWasAsked = Ich habe meinen Besitzer gefragt, ob ich hier allen antworten darf.
AsksInPlace = **{ $person }** hat mich in **{ $place }** angesprochen ({ $id }), wo ich nur Leuten antworte, die du zugelassen hast.
MayEverybodyThere = Dürfen dort alle mit mir sprechen?
EverybodyButton = Alle dort
NobodyMoreButton = So lassen
EverybodyBy = ✅ **Alle dort** dürfen mit mir sprechen: { $person } hat so entschieden.
NobodyMoreBy = ❌ Es **bleibt, wie es ist**: { $person } hat so entschieden.
EverybodyMayTalk = In { $place } dürfen jetzt alle mit mir sprechen, und das wurde dort gesagt.
NobodyMore = In { $place } antworte ich weiter nur Leuten, die ich kenne, und frage dich nicht mehr. `/pair everybody` mit der Adresse lässt alle zu.
NoSuchPlace = Diesen Ort kenne ich nicht.
EverybodyLetIn = Mein Besitzer hat erlaubt, dass hier alle mit mir sprechen. /help zeigt, was ich kann.
MinutesLate = { $count ->
    [one] 1 Minute zu spät
   *[other] { $count } Minuten zu spät
}
HoursLate = { $count ->
    [one] 1 Stunde zu spät
   *[other] { $count } Stunden zu spät
}
DaysLate = { $count ->
    [one] 1 Tag zu spät
   *[other] { $count } Tage zu spät
}
GreetingOpen = Hallo! Ich beantworte Fragen, merke mir, was euch wichtig ist, und kann euch erinnern. Erwähnt mich oder antwortet mir, dann lesen alle hier meine Antwort; was ihr sonst schreibt, lasse ich in Ruhe. Wer diesen Ort verwaltet, kann mich hier mit /settings einrichten und erlauben oder ablehnen, wonach ich frage.
GreetingKnown = Hallo! Ich beantworte Fragen, merke mir Wichtiges und kann euch erinnern. Erwähnt mich oder antwortet mir, dann lesen alle hier meine Antwort; was ihr sonst schreibt, lasse ich in Ruhe. Ich antworte Leuten, die mein Besitzer kennt: Er kann mehr zulassen, oder diesen ganzen Ort. Wer ihn verwaltet, kann mich hier mit /settings einrichten.
WhatICanDo = Was ich kann
SetMeUp = Mich einrichten
