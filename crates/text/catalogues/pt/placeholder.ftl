Waits = ⏳ Isto vem depois do que estou fazendo agora. Talvez eu responda junto com uma mensagem posterior.
Silent = ⏸️ Sem resposta por enquanto.
Below = ⤵️ Isto demora mais. Respondo abaixo.
