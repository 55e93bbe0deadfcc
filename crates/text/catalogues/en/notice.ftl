DaySpent = The budget of { $whose } for today ({ $limits }) is used up: requests are refused. It starts again on { $date } at { $time }. `clifford usage` shows what it went for, and [[budgets]] in bot.toml sets it.
MonthSpent = The budget of { $whose } for this month ({ $limits }) is used up: requests are refused. It starts again on { $date } at { $time }. `clifford usage` shows what it went for, and [[budgets]] in bot.toml sets it.
TheBot = the bot
APerson = a person
ASpace = a space
