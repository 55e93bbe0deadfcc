InPrivate = Eso queda entre tú y yo: envía `{ $command }` en un chat privado.
GetItAt = Consíguelo en `{ $address }`, o pide `{ $command }` a quien me administra.
TooMuch = Tengo demasiado de ti para enviarlo aquí: pide `{ $command }` a quien me administra.
SendAgain = Envía `/export` otra vez, por favor.
Exported = Todo lo que tengo de ti, como JSON Lines.
BeingDeleted = Se está borrando todo lo que tengo de ti; este es el último mensaje. Si vuelves a escribirme, no te conoceré.
BadCode = Ese código no vale, o ya no: no se ha borrado nada. `/erase` te da uno nuevo.
NothingDeleted = No se ha borrado nada. `/erase` dice qué se borraría y cómo seguir.
DeletesEverything =
    Esto borra para siempre todo lo que tengo de ti: lo que me contaste y lo que respondí, aquí y en todas partes, lo que recuerdo de ti, tus recordatorios, archivos, ajustes y cuentas, y lo que cité de ti a otros. Nadie puede recuperarlo; `/export` te da antes una copia.

    Si estás seguro, envía `{ $command }` en menos de 10 minutos.
DeleteEverything = Borrarlo todo
