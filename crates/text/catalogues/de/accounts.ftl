OnlyInPrivate = Konten werden nur im privaten Chat mit mir verknüpft und getrennt. Schreib mir dort.
CodeBelongs = Dieser Code gehört **{ $person }**.
WasMadeOn = Er wurde auf { $platform } von { $name } (`{ $account }`) erstellt.
YouBecome = Wenn du weitermachst, wirst du ein Teil von **{ $person }**: Wer jenes Konto benutzt, liest, was du mir hier privat gesagt hast{ $known }, deine Unterhaltungen, Dateien, Erinnerungen und Einstellungen, und darf, was du darfst.
ThingsKnown = { $count ->
    [one] , das Eine, was ich mir von dir merke
   *[other] , die { $count } Dinge, die ich mir von dir merke
}
OnlyIfYours = Mach das nur, wenn jenes Konto **deins** ist. Wenn dir jemand diesen Code gegeben oder dich gebeten hat, ihn einzugeben, dann mach nicht weiter: Es ist nichts verknüpft.
ToLink = Um beide zu verknüpfen, schick innerhalb von 10 Minuten `{ $command }`.
BothAreMine = Beide sind meine: verknüpfen
BadLinkCode = Der Code stimmt nicht, oder nicht mehr: Es wurde nichts verknüpft. Gib den Code des anderen Kontos noch einmal ein: `/link CODE`.
OtherAccount = Du wurdest auf einem anderen Konto gefragt: Es wurde nichts verknüpft.
Linked = Verknüpft. Du bist { $person } auf all diesen:{ $accounts }
YourCode =
    Dein Code ist `{ $code }`. Er gilt einmal, { $minutes } Minuten lang. Schreib mir `/link { $code }` im privaten Chat auf deinem anderen Konto.

    Von da an sind beide Konten für mich eine Person: Sie teilen, was ich mir von dir merke, deine Unterhaltungen, Dateien und Einstellungen, und jedes darf, was das andere darf.

    Gib Codes nur auf Konten ein, die dir gehören. Gib nie einen ein, den du von jemandem bekommen hast, und gib diesen nie weiter: Wer sein Konto mit deinem verknüpft, liest mit.
NoSuchCode = So einen Code kenne ich nicht. Codes gelten einmal und zehn Minuten lang; `/link` auf deinem anderen Konto gibt dir einen neuen.
AlreadyLinked = Das bist du schon. Gib den Code auf deinem anderen Konto ein, das noch nicht verknüpft ist.
TooManyTries = Das waren zu viele Versuche. Versuch es bitte in { $minutes } Min. noch einmal.
OtherWayRound = Ich habe sie nicht verknüpft: Dieses Konto darf mehr als das, das den Code erstellt hat, also muss der Code von diesem kommen. Schreib mir hier `/link`, und gib den Code auf dem anderen Konto ein, wenn es deins ist. Der eingegebene Code gilt nicht mehr.
BeingErased = Ich habe nichts geändert: Ich lösche gerade alles, was ich von einem dieser Konten habe.
OnlyAccount = Das ist das einzige Konto, das ich von dir kenne: Es gibt kein anderes, von dem ich es trennen könnte. `/link` verknüpft ein weiteres.
BadPartCode = Der Code stimmt nicht, oder nicht mehr: Es wurde nichts getrennt. `/unlink` gibt dir einen neuen.
Parted = Getrennt. Dieses Konto ist für mich jetzt eine eigene Person, mit den Unterhaltungen, die hier begannen, und dem, was ich dabei gelernt habe. Alles andere blieb bei den anderen Konten von **{ $person }**. Anmeldungen am Dashboard, Passkeys und API-Tokens sind beendet: `/dashboard` lässt dich wieder hinein.
PartedHere = Getrennt. Dieses Konto ist für mich jetzt eine eigene Person, mit den Unterhaltungen, die hier begannen, und dem, was ich dabei gelernt habe. Alles andere blieb bei den anderen Konten von **{ $person }**. Die Anmeldung oder das Token, das du gerade benutzt, bleibt und gehört der neuen Person. Andere Anmeldungen am Dashboard, Passkeys und API-Tokens, die neuer sind als dieses Konto, sind beendet.
ThisIsOwner = Dieses Konto ist mein Besitzer, die anderen nicht mehr.
TheyAreOwner = Die anderen sind mein Besitzer, dieses Konto nicht mehr.
PartsThis = Das macht das Konto, das du gerade benutzt, zu einer eigenen Person und beendet Anmeldungen am Dashboard, Passkeys und API-Tokens. Es nimmt die Unterhaltungen mit, die hier begannen, und was ich dabei gelernt habe; alles andere bleibt bei deinen anderen Konten:{ $accounts }
PartsHere = Das macht das Konto, das du gerade benutzt, zu einer eigenen Person. Die Anmeldung oder das Token, das du gerade benutzt, bleibt und gehört dann dieser Person; andere Anmeldungen am Dashboard, Passkeys und API-Tokens, die neuer sind als dieses Konto, enden. Es nimmt die Unterhaltungen mit, die hier begannen, und was ich dabei gelernt habe; alles andere bleibt bei deinen anderen Konten:{ $accounts }
StaysOwner = Dieses Konto war das erste: Es bleibt mein **Besitzer**, die anderen sind es nicht mehr.
NotOwnerAnyMore = Dieses Konto wird **nicht mehr mein Besitzer** sein: Das bleibt das Konto, das zuerst da war.
ToPart = Wenn du sicher bist, schick innerhalb von 10 Minuten `{ $command }`.
PartThis = Dieses Konto trennen
YouAre = Du bist { $person }.
AtThisMachine = Du bist die Person an diesem Rechner.
MyOwner = , mein Besitzer
YourId = Deine Kennung hier: `{ $id }`
RememberNothing = Ich merke mir noch nichts über dich.
Remember = { $count ->
    [one] Ich merke mir 1 Sache über dich: { $private } nur privat bekannt, { $elsewhere } auch anderswo. `/memory` zeigt sie.
   *[other] Ich merke mir { $count } Dinge über dich: { $private } nur privat bekannt, { $elsewhere } auch anderswo. `/memory` zeigt sie.
}
PartsAgain = `/unlink` trennt ein Konto wieder.
