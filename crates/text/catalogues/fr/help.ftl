AboutChats = Conversations
AboutMemory = Ce que je retiens
AboutWork = Ce que je suis en train de faire
AboutYou = Tes comptes et tes données
AboutOwner = Ce que peut faire un propriétaire
BeginPrivate = Écris-moi, tout simplement : je réponds, je retiens l’essentiel et je peux te faire des rappels.
BeginShared = Mentionne-moi ou réponds-moi, et je réponds. Tout le monde ici peut le lire.
Unknown = Je n’ai pas d’aide sur `{ $topic }`.
Leaving = `exit`, `quit` ou Ctrl-D pour quitter ; Ctrl-C arrête une réponse.
Owner = **Ce que peut faire un propriétaire**

    - `/pair` : voir qui demande l’accès, et décider
    - Autoriser ou refuser ce que je demande aux autres, où que ce soit

    Là où je tourne, `clifford --help` liste le reste : personnes, règles, budgets, réglages.
Managers = Les personnes qui gèrent ce lieu peuvent autoriser et refuser pour tout le monde ici.
Line = `/{ $form }` : { $about }
LineInPrivate = `/{ $form }` : { $about } (dans un chat privé avec moi)
HowToAsk = Écris ta question à la suite, par exemple `/ask à quelle distance est la Lune ?`.
NoSuchCommand = Je ne connais pas la commande `/{ $name }`. `/help` montre celles que je connais.
