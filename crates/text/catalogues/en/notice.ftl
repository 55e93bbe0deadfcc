DaySpent = The budget of { $whose } for today ({ $limits }) is spent: requests are refused. It begins anew on { $date } at { $time }. `clifford usage` shows what it went for, and [[budgets]] in bot.toml sets it.
MonthSpent = The budget of { $whose } for this month ({ $limits }) is spent: requests are refused. It begins anew on { $date } at { $time }. `clifford usage` shows what it went for, and [[budgets]] in bot.toml sets it.
TheBot = the bot
APerson = a person
ASpace = a space
