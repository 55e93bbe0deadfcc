TooFast = You are writing faster than I may answer. Please try again { $wait }.
EnoughHere = I have answered as much here as I may for now. Please try again { $wait }.
InSeconds = in { $seconds } s
InMinutes = { $count ->
    [one] in 1 minute
   *[other] in { $count } minutes
}
InHours = { $count ->
    [one] in 1 hour
   *[other] in { $count } hours
}
OnlyRoles = I only answer people here who have one of these roles: { $roles }.
SilentHere = I am set to stay silent here.
