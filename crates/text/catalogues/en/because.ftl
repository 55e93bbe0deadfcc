OnlyReads = it only reads
ChangesInPrivate = it changes what can be changed back, in private
ChangesInShared = it changes something, and others read along here
Destroys = it destroys something
Sensitive = it touches what is private or costs money
RuleAllows = the rule "{ $rule }" allows it
RuleConfirms = the rule "{ $rule }" wants it confirmed
RuleForbids = the rule "{ $rule }" forbids it
PerMinute = { $count ->
    [one] the rule "{ $rule }" allows it once in a minute
   *[other] the rule "{ $rule }" allows it { $count } times in a minute
}
PerHour = { $count ->
    [one] the rule "{ $rule }" allows it once in an hour
   *[other] the rule "{ $rule }" allows it { $count } times in an hour
}
PerDay = { $count ->
    [one] the rule "{ $rule }" allows it once in a day
   *[other] the rule "{ $rule }" allows it { $count } times in a day
}
PerMonth = { $count ->
    [one] the rule "{ $rule }" allows it once in a month
   *[other] the rule "{ $rule }" allows it { $count } times in a month
}
ReadOutside = I have read words from outside ({ $sources })
AndMore = { $count ->
    [one] { $list } and { $count } more
   *[other] { $list } and { $count } more
}
CarriesOut = { $read }, and this would carry out what is not known there
MayBeOthers = { $read }, which may have asked for this
MayBeOthersFor = { $read }, which may have asked for this: { $fault }
StandsOnlyIn = { $argument } appears only in what { $source } returned
NotSaid = you did not say { $argument }
NotNamed = you did not name it
NotAnnounced = it was not announced, and { $fault }
StandsIn = `{ $argument }` appears { $source }
ForYouAlone = what it returned is for you alone, and others read along here
TooManyOpen = { $count ->
    [one] it would have to be approved, and { $count } question waits for you here already
   *[other] it would have to be approved, and { $count } questions wait for you here already
}
