Waits = ⏳ Cela vient après ce que je fais maintenant. Je répondrai peut-être avec un message suivant.
Silent = ⏸️ Pas de réponse pour l’instant.
Below = ⤵️ Cela prend plus de temps. Je réponds plus bas.
