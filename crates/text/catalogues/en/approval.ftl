MayCall = May I do this?
MayUseResult = May I use here what this returned?
MayCallSeveral = { $count ->
    [one] **May I do this?** One answer holds for all.
   *[other] **May I do these { $count } things?** One answer holds for all.
}
IsAsked = { $person } is asked:
NotAskedFor = **You did not ask for this.** `{ $argument }` appears { $source }.
NotAskedForArgument = **You did not ask for this `{ $argument }`.** It appears { $source }.
NotAskedForFollowing = **You did not ask for what follows.**
OtherArguments = { $count ->
    [one] , as does one other argument
   *[other] , as do { $count } other arguments
}
TooLong = **These are the first { $head } of { $count } characters. All of them are in the file `{ $file }`: please read it before you approve.**
HowToAnswer = `{ $approve }` or `{ $deny }`, within { $left }.
NoArguments = no arguments
Minutes = { $count ->
    [one] 1 minute
   *[other] { $count } minutes
}
Hours = { $count ->
    [one] 1 hour
   *[other] { $count } hours
}
Days = { $count ->
    [one] 1 day
   *[other] { $count } days
}
Approve = Approve
Deny = Deny
AlwaysHere = Always here
FromPerson = your message
FromNothing = the usual value
FromResult = { $command } result
FromField = { $command } result, field { $field }
OnlyIn = only in { $read } ({ $command })
In = in { $read } ({ $command })
OnlyInResult = only in the { $command } result
InResult = in the { $command } result
FromModel = my own words
FromModelHolding = my own words, with { $text } { $source }
Unanswered = ⌛ **Not answered** in time.
ApprovedBy = ✅ **Approved** by { $person }.
ApprovedAlwaysBy = ✅ **Approved** by { $person }, from now on in this conversation.
DeniedBy = ❌ **Denied** by { $person }.
Operator = the operator
QuestionEdited = ⏹️ **Not answered**: its question was edited.
Interrupted = ⏹️ **Not answered**: a newer message took its place.
NotNeeded = ⏹️ **Not answered**: it is not needed any more.
Stopped = ⏹️ **Not answered**: I was stopped.
HowToApprove = Write `/approve`, or `/approve` with the id of what I asked.
NoSuchQuestion = I don't know that question. `/approve` alone answers the one that is open.
NothingOpen = I am not waiting for an answer of yours here.
WasDenied = Denied: `{ $name }`.
WasApproved = Approved: `{ $name }`.
WasApprovedAlways = Approved: `{ $name }`. In this conversation I will not ask you again before I use it.
NotSeen = You have not seen this question yet. Please read it first.
Settled = That is settled already: it was answered, its time ran out, I was stopped, or a newer message took its place.
Earlier = That was an earlier question of mine; please answer the newest one.
NotYours = Only the person I asked, or somebody who manages this place, can answer that.
NoRule = This cannot be approved for good: words from outside may have asked for it, or a rule wants it asked each time. `/approve` approves it this once.
SeveralOpen = { $count ->
    [one] 1 question is open here, shown above. Please press a button, or name it, also with `/deny`:
   *[other] { $count } questions are open here, all shown above. Please press a button, or name the one you mean, also with `/deny`:
}
AndMore = { $count ->
    [one] and 1 more
   *[other] and { $count } more
}
