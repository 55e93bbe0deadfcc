Waits = ⏳ Esto va después de lo que hago ahora. Puede que lo responda junto con un mensaje posterior.
Silent = ⏸️ Sin respuesta por ahora.
Below = ⤵️ Esto tarda más. Respondo más abajo.
