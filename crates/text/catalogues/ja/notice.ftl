DaySpent = { $whose }の今日の予算（{ $limits }）を使い切りました。依頼は断られます。{ $date } { $time } に新しく始まります。`clifford usage` で使いみちが分かり、bot.toml の [[budgets]] で変更できます。
MonthSpent = { $whose }の今月の予算（{ $limits }）を使い切りました。依頼は断られます。{ $date } { $time } に新しく始まります。`clifford usage` で使いみちが分かり、bot.toml の [[budgets]] で変更できます。
TheBot = ボット
APerson = ある人
ASpace = ある場所
