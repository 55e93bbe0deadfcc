MayCall = ¿Puedo hacer esto?
MayUseResult = ¿Puedo usar aquí el resultado de esto?
MayCallSeveral = { $count ->
    [one] **¿Puedo hacer esto?** Una respuesta vale para todo.
   *[other] **¿Puedo hacer estas { $count } llamadas?** Una respuesta vale para todas.
}
IsAsked = Pregunta para { $person }:
NotAskedFor = **Tú no has pedido esto.** `{ $argument }` está { $source }.
NotAskedForArgument = **Tú no has pedido este `{ $argument }`.** Está { $source }.
NotAskedForFollowing = **Tú no has pedido lo que sigue.**
OtherArguments = { $count ->
    [one] , igual que otro dato
   *[other] , igual que otros { $count } datos
}
TooLong = **Estos son los primeros { $head } de { $count } caracteres. Todos están en el archivo `{ $file }`: léelo antes de aprobar.**
HowToAnswer = `{ $approve }` o `{ $deny }`, en un plazo de { $left }.
NoArguments = sin datos
Minutes = { $count ->
    [one] 1 minuto
   *[other] { $count } minutos
}
Hours = { $count ->
    [one] 1 hora
   *[other] { $count } horas
}
Days = { $count ->
    [one] 1 día
   *[other] { $count } días
}
Approve = Aprobar
Deny = Rechazar
AlwaysHere = Siempre aquí
FromPerson = tu mensaje
FromNothing = el valor habitual
FromResult = resultado de { $command }
FromField = resultado de { $command }, campo { $field }
OnlyIn = solo en { $read } ({ $command })
In = en { $read } ({ $command })
OnlyInResult = solo en el resultado de { $command }
InResult = en el resultado de { $command }
FromModel = mis propias palabras
FromModelHolding = mis propias palabras, con { $text } { $source }
Unanswered = ⌛ **Sin respuesta** a tiempo.
ApprovedBy = ✅ **Aprobado** por { $person }.
ApprovedAlwaysBy = ✅ **Aprobado** por { $person }, de ahora en adelante en esta conversación.
DeniedBy = ❌ **Rechazado** por { $person }.
Operator = el operador
QuestionEdited = ⏹️ **Sin respuesta**: se editó el mensaje.
Interrupted = ⏹️ **Sin respuesta**: llegó un mensaje más nuevo.
NotNeeded = ⏹️ **Sin respuesta**: ya no hace falta.
Stopped = ⏹️ **Sin respuesta**: me detuvieron.
HowToApprove = Escribe `/approve`, o `/approve` con el identificador de lo que pregunté.
NoSuchQuestion = No conozco esa pregunta. `/approve` a secas responde a la que está abierta.
NothingOpen = Aquí no espero ninguna respuesta tuya.
WasDenied = Rechazado: `{ $name }`.
WasApproved = Aprobado: `{ $name }`.
WasApprovedAlways = Aprobado: `{ $name }`. En esta conversación no volveré a preguntarte antes de usarlo.
NotSeen = Todavía no has visto esta pregunta. Léela primero, por favor.
Settled = Eso ya está resuelto: se respondió, se acabó el tiempo, me detuvieron o llegó un mensaje más nuevo.
Earlier = Esa era una pregunta anterior mía; responde a la más reciente, por favor.
NotYours = Solo puede responder la persona a la que pregunté, o quien administra este lugar.
NoRule = Esto no se puede aprobar para siempre: puede que lo hayan pedido palabras de fuera, o una regla quiere que se pregunte cada vez. `/approve` lo aprueba esta vez.
SeveralOpen = { $count ->
    [one] Aquí hay 1 pregunta abierta, mostrada arriba. Pulsa un botón, o nómbrala, también con `/deny`:
   *[other] Aquí hay { $count } preguntas abiertas, todas mostradas arriba. Pulsa un botón, o nombra la que quieras, también con `/deny`:
}
AndMore = { $count ->
    [one] y 1 más
   *[other] y { $count } más
}
