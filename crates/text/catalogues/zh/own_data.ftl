InPrivate = 这是你我之间的事：请在私聊中发送 `{ $command }`。
GetItAt = 可在 `{ $address }` 获取，或请运行我的人执行 `{ $command }`。
TooMuch = 关于你的数据太多，无法在这里发送：请让运行我的人执行 `{ $command }`。
SendAgain = 请再发送一次 `/export`。
Exported = 我拥有的关于你的全部数据，格式为 JSON Lines。
BeingDeleted = 我拥有的关于你的全部数据正在删除；这是最后一条消息。如果你再给我发消息，我将不认识你。
BadCode = 该代码无效或已失效：没有删除任何内容。`/erase` 会给你一个新的。
NothingDeleted = 没有删除任何内容。`/erase` 会说明将删除什么以及如何继续。
DeletesEverything =
    这会永久删除我拥有的关于你的一切：你告诉我的和我回答的，无论在这里还是别处，我记住的关于你的内容，你的提醒、文件、设置和账号，以及我向他人引用的你的话。没有人能恢复；`/export` 可以先给你一份副本。

    如果确定，请在 10 分钟内发送 `{ $command }`。
DeleteEverything = 删除全部
