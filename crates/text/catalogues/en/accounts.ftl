OnlyInPrivate = Accounts are linked and separated only in a private chat with me. Write to me there.
CodeBelongs = This code belongs to **{ $person }**.
WasMadeOn = It was made on { $platform } by { $name } (`{ $account }`).
YouBecome = If you go on, you become part of **{ $person }**: who uses that account will read what you told me here in private{ $known }, your conversations, files, reminders and settings, and may do what you may.
ThingsKnown = { $count ->
    [one] , the 1 thing that I remember of you
   *[other] , the { $count } things that I remember of you
}
OnlyIfYours = Do this only if that account is **yours**. If somebody gave you this code, or asked you to enter it, do not go on: nothing has been linked.
ToLink = To link the two, send `{ $command }` within 10 minutes.
BothAreMine = Both are mine: link them
BadLinkCode = That code is wrong or has expired: nothing was linked. Enter the other account's code again: `/link CODE`.
OtherAccount = You were asked on another account: nothing was linked.
Linked = Linked. You are { $person } on all of these:{ $accounts }
YourCode =
    Your code is `{ $code }`. It works once, for { $minutes } minutes. Write `/link { $code }` to me in a private chat on your other account.

    From then on both accounts are one person to me: both accounts will share what I remember about you, your conversations, files and settings, and each may do what the other may.

    Enter a code only on accounts that are yours. Never enter one that somebody else gave you, and never give this one away: whoever links their account to yours reads along.
NoSuchCode = I don't know that code. A code works once, for ten minutes; `/link` on your other account gives you a new one.
AlreadyLinked = This is you already. Enter the code on your other account, the one that is not linked yet.
TooManyTries = Those were too many tries. Please try again in { $minutes } min.
OtherWayRound = I did not link them: this account may do more than the one that made the code, so the code must come from this one. Write `/link` to me here, and enter the code that you get on the other account, if that is yours. The code you entered is void.
BeingErased = I did not change anything: I am deleting everything that I have of one of these accounts.
OnlyAccount = This is the only account of yours that I know: there is no other to separate it from. `/link` links another one.
BadPartCode = That code is wrong or has expired: nothing was separated. `/unlink` gives you a new one.
Parted = Separated. This account is a person of its own to me now, with the conversations that began here and what I learned in them. Everything else stayed with the other accounts of **{ $person }**. Logins to the dashboard, passkeys and API tokens have ended: `/dashboard` lets you in again.
PartedHere = Separated. This account is a person of its own to me now, with the conversations that began here and what I learned in them. Everything else stayed with the other accounts of **{ $person }**. The login or token that you are using stays, and is the new person's. Other logins to the dashboard, passkeys and API tokens that are newer than this account have ended.
ThisIsOwner = This account is my owner; the others no longer are.
TheyAreOwner = The others are my owner; this account no longer is.
PartsThis = This makes the account that you are using a person of its own, and ends logins to the dashboard, passkeys and API tokens. It takes along the conversations that began here and what I learned in them; everything else stays with your other accounts:{ $accounts }
PartsHere = This makes the account that you are using a person of its own. The login or token that you are using stays, and is that person's; other logins to the dashboard, passkeys and API tokens that are newer than this account end. It takes along the conversations that began here and what I learned in them; everything else stays with your other accounts:{ $accounts }
StaysOwner = This account was the first: it stays my **owner**, and the others no longer are.
NotOwnerAnyMore = This account will **not be my owner** any more: the account that was there first stays it.
ToPart = If you are sure, send `{ $command }` within 10 minutes.
PartThis = Separate this account
YouAre = You are { $person }.
AtThisMachine = You are the person at this machine.
MyOwner = , my owner
YourId = Your id here: `{ $id }`
RememberNothing = I remember nothing about you yet.
Remember = { $count ->
    [one] I remember 1 thing about you: { $private } known in private only, { $elsewhere } known elsewhere as well. `/memory` shows them.
   *[other] I remember { $count } things about you: { $private } known in private only, { $elsewhere } known elsewhere as well. `/memory` shows them.
}
PartsAgain = `/unlink` separates an account again.
