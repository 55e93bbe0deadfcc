AboutChats = Conversations
AboutMemory = What I remember
AboutWork = What I am doing
AboutYou = Your accounts and data
AboutOwner = What an owner can do
BeginPrivate = Just write to me: I answer, remember what matters, and can remind you.
BeginShared = Mention me or reply to me, and I answer. Everybody here reads it.
Unknown = I have no help on `{ $topic }`.
Leaving = `exit`, `quit` or Ctrl-D leaves; Ctrl-C stops an answer.
Owner = **What an owner can do**

    - `/pair`: see who asks to be let in, and decide
    - Approve or deny what I ask others, wherever I ask it

    Where I run, `clifford --help` lists the rest: people, rules, budgets, settings.
Managers = Whoever manages this place may approve and deny for everybody here.
Line = `/{ $form }`: { $about }
LineInPrivate = `/{ $form }`: { $about } (in a private chat with me)
HowToAsk = Write your question behind it, such as `/ask how far away is the moon?`.
NoSuchCommand = I don't know the command `/{ $name }`. `/help` shows those I know.
