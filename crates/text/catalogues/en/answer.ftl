Stopped = Stopped.
NothingToStop = There is nothing to stop.
EndedAlready = This has ended already.
NotYoursToStop = Only the person who asked for this, and those who manage this place, can stop it.
RatingThanks = Thank you. That was noted.
NoSuchAnswer = I can't find that answer here.
UndoUnknown = I don't know that answer. `/undo` alone undoes the last one.
NothingToUndo = There is nothing to undo.
UndoneAlready = That was undone already.
UndoTooLate = That was more than an hour ago, which is too long to undo. Tell me what to change instead.
UndoNotYours = Only the person whom I did that for can undo it.
Undone = Undone: { $what }.
NotUndone = Not undone: { $what }.
PairNotYours = Only an owner of mine decides who may talk to me.
PairInPrivate = That is between you and me: send `/pair` in a private chat.
HowToPair = Write `/pair` to see who waits, or `/pair approve telegram:123`; `refuse` and `block` go the same way.
PairSettled = That is settled already, or nobody asked from that account. `/pair` lists who waits.
MayTalk = { $person } may talk to me now, and was told.
WasRefused = { $person } was told that they are not let in. They may ask again.
WasBlocked = I don't listen to { $person } any more.
NobodyWaits = Nobody waits to be let in.
TheyWait = These people wait to be let in:
MoreWait = { $count ->
    [one] and 1 more: `clifford pair list`
   *[other] and { $count } more: `clifford pair list`
}
HowToKeepOut = `/pair refuse ACCOUNT` and `/pair block ACCOUNT` keep them out.
ApprovePerson = Approve { $person }
LetIn = My owner has let you in. What can I do for you? /help shows what I can do.
NotLetIn = My owner does not let you in for now.
YouAreOwner = You are my owner now. What can I do for you? `/help` shows my commands.
OnlyKnown = Hello! I only talk to people whom my owner knows. Your code is `{ $code }`; ask my owner to run `clifford pair approve { $code }` within an hour.
IfYours = If I am your bot, send me the code that `clifford serve` printed when it started; `clifford pair claim` prints another.
NotTheCode = That is not the code, or it is good no more.
AsksToBeLetIn = **{ $person }** wrote to me in private and asks to be let in ({ $account }).
MayTheyTalk = May they talk to me?
MoreMayAsk = More people may ask within the hour; I won't write to you about them.
PairLists = `/pair` lists everybody who waits.
ApproveButton = Approve
RefuseButton = Refuse
BlockButton = Block
ApprovedBy = ✅ **Approved** by { $person }.
RefusedBy = ❌ **Refused** by { $person }.
BlockedBy = 🚫 **Blocked** by { $person }.
OnlyKnownHere = I only answer people whom my owner knows.
OwnerWasAsked = I have asked my owner whether I may answer everybody here.
AsksInPlace = **{ $person }** addressed me in **{ $place }** ({ $id }), where I answer only people whom you have let in.
MayEverybodyThere = May everybody there talk to me?
EverybodyButton = Everybody there
NobodyMoreButton = Leave it so
EverybodyBy = ✅ **Everybody there** may talk to me: { $person } decided so.
NobodyMoreBy = ❌ It **stays as it is**: { $person } decided so.
EverybodyMayTalk = Everybody in { $place } may talk to me now, and was told.
NobodyMore = In { $place } I go on answering only people whom I know, and ask you no more. `/pair everybody` with its address lets everybody in.
NoSuchPlace = I don't know that place.
EverybodyLetIn = My owner has let everybody here talk to me. /help shows what I can do.
MinutesLate = { $count ->
    [one] 1 minute late
   *[other] { $count } minutes late
}
HoursLate = { $count ->
    [one] 1 hour late
   *[other] { $count } hours late
}
DaysLate = { $count ->
    [one] 1 day late
   *[other] { $count } days late
}
GreetingOpen = Hello! I answer questions, remember what matters to each of you, and can remind you. Mention me or reply to me, and everybody here reads my answer; what you write otherwise I leave alone. People who manage this place can set me up here with /settings, and approve or deny what I ask to do.
GreetingKnown = Hello! I answer questions, remember what matters, and can remind you. Mention me or reply to me, and everybody here reads my answer; what you write otherwise I leave alone. I answer people whom my owner knows: my owner lets in more, or this whole place. Those who manage it can set me up here with /settings.
WhatICanDo = What I can do
SetMeUp = Set me up
