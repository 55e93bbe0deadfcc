Refused = Sorry, I could not send my answer here: it was refused. Please ask again, or ask for a shorter answer.
TooLong = Sorry, an answer of mine could not be sent here for a long time. Please ask again.
Files = { $count ->
    [one] Sorry, I could not send you the file { $names }. Please ask for it again, or in another form.
   *[other] Sorry, I could not send you the files { $names }. Please ask for them again, or in another form.
}
FilesOfNoName = { $count ->
    [one] Sorry, I could not send you the file that belongs here. Please ask for it again, or in another form.
   *[other] Sorry, I could not send you the files that belong here. Please ask for them again, or in another form.
}
NorFiles = { $count ->
    [one] Its file was not sent either: { $names }.
   *[other] Its files were not sent either: { $names }.
}
