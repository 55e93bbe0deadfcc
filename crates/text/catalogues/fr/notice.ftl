DaySpent = Le budget de { $whose } pour aujourd’hui ({ $limits }) est épuisé : les demandes sont refusées. Il repart le { $date } à { $time }. `clifford usage` montre à quoi il a servi, et [[budgets]] dans bot.toml le fixe.
MonthSpent = Le budget de { $whose } pour ce mois ({ $limits }) est épuisé : les demandes sont refusées. Il repart le { $date } à { $time }. `clifford usage` montre à quoi il a servi, et [[budgets]] dans bot.toml le fixe.
TheBot = le bot
APerson = une personne
ASpace = un lieu
