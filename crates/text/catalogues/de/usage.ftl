Head = Verbrauch deiner Anfragen:
Today = heute
ThisMonth = diesen Monat
ModelCalls = { $count ->
    [one] 1 Modellaufruf
   *[other] { $count } Modellaufrufe
}
Tokens = { $tokens } Token
Cost = Kosten { $cost }
AllByOwnKey = alle mit deinem eigenen Schlüssel
SomeByOwnKey = { $count ->
    [one] { $count } davon mit deinem eigenen Schlüssel, Kosten { $cost }
   *[other] { $count } davon mit deinem eigenen Schlüssel, Kosten { $cost }
}
Estimated = (teils geschätzt)
Left = übrig für { $period }: { $what }
LeftForEverybody = übrig für alle hier, { $period }: { $what }
LeftForYouHere = übrig für dich hier, { $period }: { $what }
CostLeft = Kosten { $left } von { $all }
TokensLeft = { $left } von { $all } Token
MessagesForYou = Nachrichten übrig für dich: { $left } von { $all } pro { $unit }
MessagesForEverybody = Nachrichten übrig für alle hier: { $left } von { $all } pro { $unit }
MessagesForChannel = Nachrichten übrig für diesen Kanal: { $left } von { $all } pro { $unit }
Minute = Minute
Hour = Stunde
Day = Tag
