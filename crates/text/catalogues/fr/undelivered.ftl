Refused = Désolé, je n’ai pas pu envoyer ma réponse ici : elle a été refusée. Redemande-moi, ou demande une réponse plus courte.
TooLong = Désolé, une de mes réponses n’a longtemps pas pu être envoyée ici. Redemande-moi, s’il te plaît.
Files = { $count ->
    [one] Désolé, je n’ai pas pu t’envoyer le fichier { $names }. Redemande-le, ou sous une autre forme.
   *[other] Désolé, je n’ai pas pu t’envoyer les fichiers { $names }. Redemande-les, ou sous une autre forme.
}
FilesOfNoName = { $count ->
    [one] Désolé, je n’ai pas pu t’envoyer le fichier qui va ici. Redemande-le, ou sous une autre forme.
   *[other] Désolé, je n’ai pas pu t’envoyer les fichiers qui vont ici. Redemande-les, ou sous une autre forme.
}
NorFiles = { $count ->
    [one] Son fichier n’a pas été envoyé non plus : { $names }.
   *[other] Ses fichiers n’ont pas été envoyés non plus : { $names }.
}
