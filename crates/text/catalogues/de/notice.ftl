DaySpent = Das Budget für { $whose } für heute ({ $limits }) ist aufgebraucht: Anfragen werden abgelehnt. Es beginnt am { $date } um { $time } neu. `clifford usage` zeigt, wofür es gebraucht wurde; [[budgets]] in bot.toml legt es fest.
MonthSpent = Das Budget für { $whose } für diesen Monat ({ $limits }) ist aufgebraucht: Anfragen werden abgelehnt. Es beginnt am { $date } um { $time } neu. `clifford usage` zeigt, wofür es gebraucht wurde; [[budgets]] in bot.toml legt es fest.
TheBot = den Bot
APerson = eine Person
ASpace = einen Ort
