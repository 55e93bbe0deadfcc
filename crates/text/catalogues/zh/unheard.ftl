TooFast = 你发消息的速度超过了我可以回答的速度。请在 { $wait }再试。
EnoughHere = 我在这里暂时已经回答得够多了。请在 { $wait }再试。
InSeconds = { $seconds } 秒后
InMinutes = { $count } 分钟后
InHours = { $count } 小时后
OnlyRoles = 在这里我只回答拥有以下身份组之一的人：{ $roles }。
SilentHere = 我被设置为在这里保持沉默。
