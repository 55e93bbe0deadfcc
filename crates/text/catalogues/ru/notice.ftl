DaySpent = Бюджет ({ $whose }) на сегодня ({ $limits }) исчерпан: запросы отклоняются. Он начнётся заново { $date } в { $time }. `clifford usage` покажет, на что он ушёл, а задаётся он в [[budgets]] в bot.toml.
MonthSpent = Бюджет ({ $whose }) на этот месяц ({ $limits }) исчерпан: запросы отклоняются. Он начнётся заново { $date } в { $time }. `clifford usage` покажет, на что он ушёл, а задаётся он в [[budgets]] в bot.toml.
TheBot = бот
APerson = один человек
ASpace = одно место
