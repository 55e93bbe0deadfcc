IsOff = Das Gedächtnis ist hier aus: Ich merke mir nichts Neues und nutze nichts, was ich weiß.
KnowNothing = Ich weiß noch nichts über dich.
KnowNothingHere = Ich weiß nichts über dich, was ich hier sagen darf.
Known = Das weiß ich über dich.
KnownHere = Das darf ich hier über dich wissen.
Pinned = 📌 bleibt, wie es ist
Shared = 🌐 bekannt, wo immer du mit mir sprichst
Local = 👥 bekannt, wo du es gesagt hast
AskInPrivate = Frag mich privat nach dem Rest: Was du mir dort sagst, bleibt dort.
HowToChange = `/forget KEY`, `/pin KEY`, `/share KEY` und `/private KEY` ändern es; `/forget all` vergisst alles.
HowTheyCome = Was du über dich erzählst, merke ich mir, wenn eine Unterhaltung endet oder lang wird, oder sofort, wenn du mich darum bittest.
Forgotten = Vergessen: { $name }.
NothingToForget = Es gibt nichts zu vergessen.
ForgottenAll = { $count ->
    [one] Vergessen: ein Eintrag.
   *[other] Vergessen: alle { $count } Einträge.
}
OutOfUse = { $count ->
    [one] einer, der nicht mehr gilt
   *[other] { $count }, die nicht mehr gelten
}
DeletesAll =
    Das löscht endgültig alles, was ich über dich weiß:

    { $list }

    Schreib `{ $command }`, um es zu tun.
DeletesAllHere =
    Das löscht endgültig, was ich hier über dich wissen darf:

    { $list }

    Schreib `{ $command }`, um es zu tun.
ForgetAll = Alles vergessen
StaysAsItIs = { $name } bleibt, wie es ist: So, wie es dasteht, würde ich es mir heute nicht merken. Lösch es mit `/forget` und sag es mir neu.
IsPinned = { $name } ist festgehalten: Es bleibt so, bis du es mit `/pin` wieder löst oder mit `/forget` löschst.
IsNotPinned = { $name } ist nicht mehr festgehalten: Es kann sich ändern, wenn du mir Neues sagst.
IsShared = { $name } ist jetzt überall bekannt, wo du mit mir sprichst, auch vor anderen.
IsPrivate = { $name } ist jetzt nur noch privat bekannt.
Several =
    Davon gibt es mehrere. Welches meinst du?

    { $list }
WriteKey = Schreib, was du meinst: `{ $command } KEY`. `/memory` zeigt die Schlüssel.
NoSuchKey = Den Schlüssel `{ $key }` kenne ich hier nicht. `/memory` zeigt die Schlüssel.
DidYouMean =
    Den Schlüssel `{ $key }` kenne ich hier nicht. Meinst du das?

    { $list }
