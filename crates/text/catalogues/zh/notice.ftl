DaySpent = { $whose }今天的预算（{ $limits }）已用完，请求会被拒绝。它将在 { $date } { $time } 重新开始。`clifford usage` 显示花在了哪里，bot.toml 里的 [[budgets]] 可以调整它。
MonthSpent = { $whose }本月的预算（{ $limits }）已用完，请求会被拒绝。它将在 { $date } { $time } 重新开始。`clifford usage` 显示花在了哪里，bot.toml 里的 [[budgets]] 可以调整它。
TheBot = 机器人
APerson = 某个人
ASpace = 某个群组
