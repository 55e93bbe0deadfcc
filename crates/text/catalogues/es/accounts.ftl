OnlyInPrivate = Las cuentas solo se vinculan y separan en un chat privado conmigo. Escríbeme allí.
CodeBelongs = Este código es de **{ $person }**.
WasMadeOn = Se creó en { $platform } por { $name } (`{ $account }`).
YouBecome = Si sigues, pasas a formar parte de **{ $person }**: quien use esa cuenta leerá lo que me has contado aquí en privado{ $known }, tus conversaciones, archivos, recordatorios y ajustes, y podrá hacer lo que tú puedes.
ThingsKnown = { $count ->
    [one] , el dato que recuerdo de ti
   *[other] , los { $count } datos que recuerdo de ti
}
OnlyIfYours = Hazlo solo si esa cuenta es **tuya**. Si alguien te dio este código, o te pidió que lo introdujeras, no sigas: no se ha vinculado nada.
ToLink = Para vincular las dos, envía `{ $command }` en menos de 10 minutos.
BothAreMine = Las dos son mías: vincular
BadLinkCode = Ese código no vale, o ya no: no se ha vinculado nada. Introduce otra vez el código de la otra cuenta: `/link CODE`.
OtherAccount = Se te preguntó en otra cuenta: no se ha vinculado nada.
Linked = Vinculadas. Eres { $person } en todas estas:{ $accounts }
YourCode =
    Tu código es `{ $code }`. Vale una vez, durante { $minutes } minutos. Escríbeme `/link { $code }` en un chat privado desde tu otra cuenta.

    A partir de entonces, ambas cuentas son una sola persona para mí: comparten lo que recuerdo de ti, tus conversaciones, archivos y ajustes, y cada una puede hacer lo que la otra.

    Introduce códigos solo en cuentas que sean tuyas. Nunca introduzcas uno que te haya dado otra persona, y nunca des este: quien vincule su cuenta a la tuya lo lee todo.
NoSuchCode = No conozco ese código. Los códigos valen una vez y durante diez minutos; `/link` en tu otra cuenta te da uno nuevo.
AlreadyLinked = Esa ya eres tú. Introduce el código en tu otra cuenta, la que aún no está vinculada.
TooManyTries = Han sido demasiados intentos. Inténtalo de nuevo en { $minutes } min.
OtherWayRound = No las he vinculado: esta cuenta puede hacer más que la que creó el código, así que el código debe venir de esta. Escríbeme `/link` aquí e introduce el código en la otra cuenta, si es tuya. El código que has introducido queda anulado.
BeingErased = No he cambiado nada: estoy borrando todo lo que tengo de una de estas cuentas.
OnlyAccount = Esta es la única cuenta tuya que conozco: no hay otra de la que separarla. `/link` vincula otra.
BadPartCode = Ese código no vale, o ya no: no se ha separado nada. `/unlink` te da uno nuevo.
Parted = Separada. Para mí, esta cuenta es ahora una persona aparte, con las conversaciones que empezaron aquí y lo que aprendí en ellas. Todo lo demás se quedó con las otras cuentas de **{ $person }**. Las sesiones del panel, las llaves de acceso y los tokens de la API han terminado: `/dashboard` te deja entrar de nuevo.
PartedHere = Separada. Para mí, esta cuenta es ahora una persona aparte, con las conversaciones que empezaron aquí y lo que aprendí en ellas. Todo lo demás se quedó con las otras cuentas de **{ $person }**. La sesión o el token que usas sigue, y es de la nueva persona. Las demás sesiones del panel, llaves de acceso y tokens de la API más recientes que esta cuenta han terminado.
ThisIsOwner = Esta cuenta es mi propietaria; las otras ya no.
TheyAreOwner = Las otras son mi propietario; esta cuenta ya no.
PartsThis = Esto convierte la cuenta que usas en una persona aparte y cierra las sesiones del panel, las llaves de acceso y los tokens de la API. Se lleva las conversaciones que empezaron aquí y lo que aprendí en ellas; todo lo demás se queda con tus otras cuentas:{ $accounts }
PartsHere = Esto convierte la cuenta que usas en una persona aparte. La sesión o el token que usas sigue, y será de esa persona; las demás sesiones del panel, llaves de acceso y tokens de la API más recientes que esta cuenta terminan. Se lleva las conversaciones que empezaron aquí y lo que aprendí en ellas; todo lo demás se queda con tus otras cuentas:{ $accounts }
StaysOwner = Esta cuenta fue la primera: sigue siendo mi **propietaria**, y las otras ya no.
NotOwnerAnyMore = Esta cuenta **dejará de ser mi propietaria**: eso se queda con la cuenta que fue la primera.
ToPart = Si estás seguro, envía `{ $command }` en menos de 10 minutos.
PartThis = Separar esta cuenta
YouAre = Eres { $person }.
AtThisMachine = Eres la persona que usa este equipo.
MyOwner = , mi propietario
YourId = Tu identificador aquí: `{ $id }`
RememberNothing = Todavía no recuerdo nada de ti.
Remember = { $count ->
    [one] Recuerdo 1 dato de ti: { $private } solo en privado, { $elsewhere } también en otros sitios. `/memory` los muestra.
   *[other] Recuerdo { $count } datos de ti: { $private } solo en privado, { $elsewhere } también en otros sitios. `/memory` los muestra.
}
PartsAgain = `/unlink` vuelve a separar una cuenta.
