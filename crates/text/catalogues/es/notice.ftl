DaySpent = El presupuesto de { $whose } para hoy ({ $limits }) está agotado: las peticiones se rechazan. Empieza de nuevo el { $date } a las { $time }. `clifford usage` muestra en qué se gastó, y [[budgets]] en bot.toml lo fija.
MonthSpent = El presupuesto de { $whose } para este mes ({ $limits }) está agotado: las peticiones se rechazan. Empieza de nuevo el { $date } a las { $time }. `clifford usage` muestra en qué se gastó, y [[budgets]] en bot.toml lo fija.
TheBot = el bot
APerson = una persona
ASpace = un lugar
