Stopped = Detenido.
NothingToStop = No hay nada que detener.
EndedAlready = Esto ya ha terminado.
NotYoursToStop = Solo puede detenerlo quien lo pidió o quien administra este lugar.
RatingThanks = Gracias, anotado.
NoSuchAnswer = Aquí no encuentro esa respuesta.
UndoUnknown = No conozco esa respuesta. `/undo` a secas deshace la última.
NothingToUndo = No hay nada que deshacer.
UndoneAlready = Eso ya se ha deshecho.
UndoTooLate = Eso fue hace más de una hora, demasiado para deshacerlo. Dime en cambio qué debo modificar.
UndoNotYours = Solo puede deshacerlo la persona para quien lo hice.
Undone = Deshecho: { $what }.
NotUndone = Sin deshacer: { $what }.
PairNotYours = Solo un propietario mío decide quién puede hablar conmigo.
PairInPrivate = Eso queda entre tú y yo: envía `/pair` en un chat privado.
HowToPair = Escribe `/pair` para ver quién espera, o `/pair approve telegram:123`; `refuse` y `block` van igual.
PairSettled = Eso ya está decidido, o nadie lo pidió con esa cuenta. `/pair` muestra quién espera.
MayTalk = { $person } ya puede hablar conmigo, y se le ha avisado.
WasRefused = Se ha avisado a { $person } de que no tiene acceso. Puede volver a pedirlo.
WasBlocked = Ya no escucho a { $person }.
NobodyWaits = Nadie espera acceso.
TheyWait = Estas personas esperan acceso:
MoreWait = { $count ->
    [one] y 1 más: `clifford pair list`
   *[other] y { $count } más: `clifford pair list`
}
HowToKeepOut = `/pair refuse CUENTA` y `/pair block CUENTA` las dejan fuera.
ApprovePerson = Aprobar a { $person }
LetIn = Mi propietario te ha dado acceso. ¿En qué puedo ayudarte? /help muestra lo que sé hacer.
NotLetIn = Mi propietario no te da acceso por ahora.
YouAreOwner = Ahora eres mi propietario. ¿En qué puedo ayudarte? `/help` muestra mis comandos.
OnlyKnown = ¡Hola! Solo hablo con personas que mi propietario conoce. Tu código es `{ $code }`; pídele a mi propietario que ejecute `clifford pair approve { $code }` en menos de una hora.
IfYours = Si soy tu bot, envíame el código que mostró `clifford serve` al iniciar; `clifford pair claim` muestra otro.
NotTheCode = Ese no es el código, o ya no es válido.
AsksToBeLetIn = **{ $person }** me ha escrito en privado y pide acceso ({ $account }).
MayTheyTalk = ¿Puede hablar conmigo?
MoreMayAsk = Puede que en esta hora pregunten más personas de las que no te avisaré.
PairLists = `/pair` muestra a todos los que esperan.
ApproveButton = Aprobar
RefuseButton = Rechazar
BlockButton = Bloquear
ApprovedBy = ✅ **Aprobado** por { $person }.
RefusedBy = ❌ **Rechazado** por { $person }.
BlockedBy = 🚫 **Bloqueado** por { $person }.
OnlyKnownHere = Solo respondo a personas que mi propietario conoce.
OwnerWasAsked = He preguntado a mi propietario si puedo responder a todos aquí.
AsksInPlace = **{ $person }** se dirigió a mí en **{ $place }** ({ $id }), donde solo respondo a quienes tú has admitido.
MayEverybodyThere = ¿Pueden hablar conmigo todos los de allí?
EverybodyButton = Todos los de allí
NobodyMoreButton = Dejarlo así
EverybodyBy = ✅ **Todos los de allí** pueden hablar conmigo: lo decidió { $person }.
NobodyMoreBy = ❌ **Se queda como está**: lo decidió { $person }.
EverybodyMayTalk = Ahora todos en { $place } pueden hablar conmigo, y se les ha dicho.
NobodyMore = En { $place } sigo respondiendo solo a quienes conozco, y no te pregunto más. `/pair everybody` con su dirección admite a todos.
NoSuchPlace = No conozco ese lugar.
EverybodyLetIn = Mi propietario permite que aquí todos hablen conmigo. /help muestra lo que puedo hacer.
MinutesLate = { $count ->
    [one] 1 minuto tarde
   *[other] { $count } minutos tarde
}
HoursLate = { $count ->
    [one] 1 hora tarde
   *[other] { $count } horas tarde
}
DaysLate = { $count ->
    [one] 1 día tarde
   *[other] { $count } días tarde
}
GreetingOpen = ¡Hola! Respondo preguntas, recuerdo lo que importa a cada persona y puedo enviar recordatorios. Mencióname o responde a un mensaje mío, y todos aquí leerán mi respuesta; los demás mensajes los dejo en paz. Quien administra este lugar puede configurarme con /settings y aprobar o rechazar lo que pregunto.
GreetingKnown = ¡Hola! Respondo preguntas, recuerdo lo importante y puedo enviar recordatorios. Mencióname o responde a un mensaje mío, y todos aquí leerán mi respuesta; los demás mensajes los dejo en paz. Respondo a quienes mi propietario conoce: puede dar acceso a más personas, o a todo este lugar. Quien lo administra puede configurarme con /settings.
WhatICanDo = Qué sé hacer
SetMeUp = Configurarme
