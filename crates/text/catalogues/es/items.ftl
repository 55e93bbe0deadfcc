IsOff = La memoria está desactivada aquí: no recuerdo nada nuevo ni uso nada de lo que sé.
KnowNothing = Todavía no sé nada de ti.
KnowNothingHere = No sé nada de ti que pueda decir aquí.
Known = Esto es lo que sé de ti.
KnownHere = Esto es lo que puedo saber de ti aquí.
Pinned = 📌 se queda como está
Shared = 🌐 conocido dondequiera que hables conmigo
Local = 👥 conocido donde lo dijiste
AskInPrivate = Pregúntame en privado por el resto: lo que me cuentas allí se queda allí.
HowToChange = `/forget KEY`, `/pin KEY`, `/share KEY` y `/private KEY` lo cambian; `/forget all` lo olvida todo.
HowTheyCome = Recuerdo datos sobre ti cuando una conversación termina o se alarga, o enseguida si me lo pides.
Forgotten = Olvidado: { $name }.
NothingToForget = No hay nada que olvidar.
ForgottenAll = { $count ->
    [one] Olvidado: un dato.
   *[other] Olvidado: los { $count } datos.
}
OutOfUse = { $count ->
    [one] uno que ya no se usa
   *[other] { $count } que ya no se usan
}
DeletesAll =
    Esto borra para siempre todo lo que sé de ti:

    { $list }

    Escribe `{ $command }` para hacerlo.
DeletesAllHere =
    Esto borra para siempre lo que puedo saber de ti aquí:

    { $list }

    Escribe `{ $command }` para hacerlo.
ForgetAll = Olvidarlo todo
StaysAsItIs = { $name } se queda como está: tal como está escrito, hoy no lo guardaría. Bórralo con `/forget` y dímelo de nuevo.
IsPinned = { $name } está fijado: se queda como está hasta que uses `/pin` otra vez o `/forget`.
IsNotPinned = { $name } ya no está fijado: puede cambiar con lo que me cuentes.
IsShared = { $name } se conoce ahora dondequiera que hables conmigo, también delante de otros.
IsPrivate = { $name } ahora solo se conoce en privado.
Several =
    Hay varios con esa clave. ¿Cuál?

    { $list }
WriteKey = Escribe cuál: `{ $command } KEY`. `/memory` muestra las claves.
NoSuchKey = Aquí no conozco la clave `{ $key }`. `/memory` muestra las claves.
DidYouMean =
    Aquí no conozco la clave `{ $key }`. ¿Querías decir esta?

    { $list }
