InPrivate = That is between you and me: send `{ $command }` in a private chat.
GetItAt = Get it at `{ $address }`, or ask whoever runs me for `{ $command }`.
TooMuch = I have too much of you to send it here: ask whoever runs me for `{ $command }`.
SendAgain = Please send `/export` again.
Exported = Everything that I have of you, as JSON Lines.
BeingDeleted = Everything that I have of you is being deleted; this is the last message. If you write to me again, I will not know you.
BadCode = That code is wrong or has expired: nothing was deleted. `/erase` gives you a new one.
NothingDeleted = Nothing was deleted. `/erase` tells what would be, and how to go on.
DeletesEverything =
    This deletes everything that I have of you, for good: what you told me and what I answered, here and everywhere else, what I remember of you, your reminders, files, settings and accounts, and what I quoted of you to others. Nobody can bring it back; `/export` gives you a copy first.

    If you are sure, send `{ $command }` within 10 minutes.
DeleteEverything = Delete everything
