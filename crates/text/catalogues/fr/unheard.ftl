TooFast = Tu écris plus vite que je ne peux répondre. Réessaie { $wait }.
EnoughHere = J’ai répondu ici autant que je le peux pour l’instant. Réessaie { $wait }.
InSeconds = dans { $seconds } s
InMinutes = { $count ->
    [one] dans { $count } minute
   *[other] dans { $count } minutes
}
InHours = { $count ->
    [one] dans { $count } heure
   *[other] dans { $count } heures
}
OnlyRoles = Ici, je ne réponds qu’aux personnes qui ont l’un de ces rôles : { $roles }.
SilentHere = Ici, je dois me taire.
