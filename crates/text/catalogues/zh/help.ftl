AboutChats = 对话
AboutMemory = 我记住的内容
AboutWork = 我正在做的事
AboutYou = 你的账号和数据
AboutOwner = 所有者可以做什么
BeginPrivate = 直接给我发消息就行：我会回答、记住重要的事，还能提醒你。
BeginShared = 提及我或回复我，我就会回答。这里的所有人都能看到。
Unknown = 我没有关于 `{ $topic }` 的帮助。
Leaving = 输入 `exit`、`quit` 或按 Ctrl-D 退出；Ctrl-C 停止回答。
Owner = **所有者可以做什么**

    - `/pair`：查看谁在申请使用并作出决定
    - 批准或拒绝我向其他人询问的操作，无论在哪里

    在运行我的机器上，`clifford --help` 会列出其余内容：人员、规则、预算、设置。
Managers = 管理此处的人可以代表这里的所有人批准和拒绝。
Line = `/{ $form }`：{ $about }
LineInPrivate = `/{ $form }`：{ $about }（在与我的私聊中）
HowToAsk = 请把问题写在后面，例如 `/ask 月亮离我们有多远？`。
NoSuchCommand = 我不认识命令 `/{ $name }`。`/help` 会列出我认识的命令。
