Welcome = /help 列出命令，exit 或 Ctrl-D 退出，Alt-Enter 换行，Ctrl-R 搜索输入过的内容。
AtWork = { $seconds } 秒 · Ctrl-C 停止
NotAnswered = 不会回答：这个终端的用户不能和机器人说话
NotStored = 消息没能保存，正在重试：{ $error }
ServerGone = 服务器没有应答，正在重试
ServerBack = 已重新连接服务器
NotText = 这一行丢失了：它不是 UTF-8；请把终端的编码设为 UTF-8
