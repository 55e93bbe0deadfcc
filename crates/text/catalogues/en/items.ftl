IsOff = Memory is off here: I remember nothing new, and use nothing that I know.
KnowNothing = I know nothing about you yet.
KnowNothingHere = I know nothing about you that I may tell here.
Known = This is what I know about you.
KnownHere = This is what I may know about you here.
Pinned = 📌 stays as it is
Shared = 🌐 known wherever you speak to me
Local = 👥 known where you said it
AskInPrivate = Ask me in private for the rest: what you tell me there stays there.
HowToChange = `/forget KEY`, `/pin KEY`, `/share KEY` and `/private KEY` change it; `/forget all` forgets it all.
HowTheyCome = Facts about yourself are remembered when a conversation ends or grows long, or at once if you ask me to remember it.
Forgotten = Forgotten: { $name }.
NothingToForget = There is nothing to forget.
ForgottenAll = { $count ->
    [one] Forgotten: one item.
   *[other] Forgotten: all { $count } items.
}
OutOfUse = { $count ->
    [one] one that is out of use
   *[other] { $count } that are out of use
}
DeletesAll =
    This deletes all that I know about you for good:

    { $list }

    Type `{ $command }` to do it.
DeletesAllHere =
    This deletes what I may know about you here for good:

    { $list }

    Type `{ $command }` to do it.
ForgetAll = Forget it all
StaysAsItIs = { $name } stays as it is: what it says would not be kept like that today. `/forget` it, and tell me anew.
IsPinned = { $name } is pinned: it stays as it is until you `/pin` it again, or `/forget` it.
IsNotPinned = { $name } is not pinned any more: it may change with what you tell me.
IsShared = { $name } is known wherever you speak to me now, in front of others too.
IsPrivate = { $name } is known in private only now.
Several =
    There are several with that key. Which one?

    { $list }
WriteKey = Write what you mean: `{ $command } KEY`. `/memory` lists the keys.
NoSuchKey = I know nothing under the key `{ $key }` here. `/memory` lists the keys.
DidYouMean =
    I know nothing under the key `{ $key }` here. Did you mean this?

    { $list }
