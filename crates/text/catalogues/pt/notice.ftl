DaySpent = O orçamento de { $whose } para hoje ({ $limits }) acabou: os pedidos são recusados. Ele recomeça em { $date } às { $time }. `clifford usage` mostra em que foi gasto, e [[budgets]] em bot.toml o define.
MonthSpent = O orçamento de { $whose } para este mês ({ $limits }) acabou: os pedidos são recusados. Ele recomeça em { $date } às { $time }. `clifford usage` mostra em que foi gasto, e [[budgets]] em bot.toml o define.
TheBot = o bot
APerson = uma pessoa
ASpace = um lugar
