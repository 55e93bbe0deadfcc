IsOff = 这里的记忆已关闭：我不会记住新内容，也不会使用已知的内容。
KnowNothing = 我对你还一无所知。
KnowNothingHere = 没有可以在这里说的关于你的信息。
Known = 这是我对你的了解。
KnownHere = 这是我在这里可以知道的关于你的信息。
Pinned = 📌 保持不变
Shared = 🌐 在你和我聊天的任何地方都知道
Local = 👥 只在你说过的地方知道
AskInPrivate = 其余的请在私聊中问我：你在那里告诉我的会留在那里。
HowToChange = `/forget KEY`、`/pin KEY`、`/share KEY` 和 `/private KEY` 可以更改；`/forget all` 忘记全部。
HowTheyCome = 当对话结束或变长时，我会记住关于你的信息；你要求时会立即记住。
Forgotten = 已忘记：{ $name }。
NothingToForget = 没有可以忘记的内容。
ForgottenAll = 已忘记：全部 { $count } 条。
OutOfUse = { $count } 条已停用的
DeletesAll =
    这会永久删除我对你的全部了解：

    { $list }

    发送 `{ $command }` 来执行。
DeletesAllHere =
    这会永久删除我在这里可以知道的关于你的信息：

    { $list }

    发送 `{ $command }` 来执行。
ForgetAll = 全部忘记
StaysAsItIs = { $name } 保持不变：照现在的写法，今天我不会记下它。请用 `/forget` 删除，再重新告诉我。
IsPinned = { $name } 已固定：它会保持不变，直到你再次 `/pin` 或 `/forget`。
IsNotPinned = { $name } 不再固定：它可能随你告诉我的内容而改变。
IsShared = { $name } 现在在你和我聊天的任何地方都知道，在别人面前也是。
IsPrivate = { $name } 现在只在私聊中知道。
Several =
    这个键有好几个。是哪一个？

    { $list }
WriteKey = 请写明是哪一个：`{ $command } KEY`。`/memory` 会列出键。
NoSuchKey = 我在这里不知道键 `{ $key }`。`/memory` 会列出键。
DidYouMean =
    我在这里不知道键 `{ $key }`。你是指这个吗？

    { $list }
