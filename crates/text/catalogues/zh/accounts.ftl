OnlyInPrivate = 账号只能在与我的私聊中关联和拆分。请在那里给我发消息。
CodeBelongs = 此代码属于 **{ $person }**。
WasMadeOn = 它由 { $name }（`{ $account }`）在 { $platform } 上生成。
YouBecome = 如果继续，你会成为 **{ $person }** 的一部分：使用那个账号的人能看到你在这里私下告诉我的内容{ $known }，你的对话、文件、提醒和设置，并能做你能做的事。
ThingsKnown = 、我记住的关于你的 { $count } 条信息
OnlyIfYours = 只有那个账号是**你的**才这样做。如果是别人给你此代码或让你输入的，请不要继续：目前还没有关联任何账号。
ToLink = 要关联两者，请在 10 分钟内发送 `{ $command }`。
BothAreMine = 两个都是我的：关联
BadLinkCode = 该代码无效或已失效：没有关联任何账号。请再次输入另一个账号的代码：`/link CODE`。
OtherAccount = 你是在另一个账号上被询问的：没有关联任何账号。
Linked = 已关联。你在以下所有账号上都是 { $person }：{ $accounts }
YourCode =
    你的代码是 `{ $code }`。它只能用一次，{ $minutes } 分钟内有效。请用你的另一个账号在私聊中给我发送 `/link { $code }`。

    从此两个账号对我来说是同一个人：它们共享我记住的关于你的内容、你的对话、文件和设置，并且各自能做对方能做的事。

    只在你自己的账号上输入代码。不要输入别人给你的代码，也不要把此代码给任何人：把账号与你关联的人能看到一切。
NoSuchCode = 我不知道这个代码。代码只能用一次，十分钟内有效；在你的另一个账号上发送 `/link` 可获得新的。
AlreadyLinked = 这已经是你了。请在你另一个尚未关联的账号上输入代码。
TooManyTries = 尝试次数太多了。请在 { $minutes } 分钟后再试。
OtherWayRound = 我没有关联它们：此账号的权限高于生成代码的账号，所以代码必须来自此账号。请在这里给我发送 `/link`，并在另一个账号上输入得到的代码（如果它是你的）。你输入的代码已作废。
BeingErased = 我没有更改任何内容：我正在删除其中一个账号的全部数据。
OnlyAccount = 这是我所知的你唯一的账号：没有其他账号可以拆分。`/link` 可以关联另一个。
BadPartCode = 该代码无效或已失效：没有拆分任何账号。`/unlink` 会给你一个新的。
Parted = 已拆分。此账号现在对我来说是单独的一个人，带有在这里开始的对话和我从中了解到的内容。其余的都留在 **{ $person }** 的其他账号。仪表板登录、通行密钥和 API 令牌已结束：`/dashboard` 可让你重新进入。
ThisIsOwner = 此账号是我的所有者，其他账号不再是。
TheyAreOwner = 其他账号是我的所有者，此账号不再是。
PartsThis = 这会使你正在使用的账号成为单独的一个人，并结束仪表板登录、通行密钥和 API 令牌。它会带走在这里开始的对话和我从中了解到的内容；其余的留在你的其他账号：{ $accounts }
StaysOwner = 此账号是最早的：它仍是我的**所有者**，其他账号不再是。
NotOwnerAnyMore = 此账号将**不再是我的所有者**：所有者仍是最早的那个账号。
ToPart = 如果确定，请在 10 分钟内发送 `{ $command }`。
PartThis = 拆分此账号
YouAre = 你是 { $person }。
AtThisMachine = 你是使用这台电脑的人。
MyOwner = ，我的所有者
YourId = 你在这里的 ID：`{ $id }`
RememberNothing = 我还没有记住关于你的任何内容。
Remember = 我记住了关于你的 { $count } 条信息：{ $private } 条仅在私聊中知道，{ $elsewhere } 条在别处也知道。`/memory` 会列出它们。
PartsAgain = `/unlink` 可以再次拆分账号。
