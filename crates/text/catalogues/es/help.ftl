AboutChats = Conversaciones
AboutMemory = Lo que recuerdo
AboutWork = Lo que estoy haciendo
AboutYou = Tus cuentas y datos
AboutOwner = Lo que puede hacer el propietario
BeginPrivate = Escríbeme sin más: respondo, recuerdo lo importante y puedo avisarte.
BeginShared = Mencióname o responde a un mensaje mío y te contesto. Aquí lo leen todos.
Unknown = No tengo ayuda sobre `{ $topic }`.
Leaving = `exit`, `quit` o Ctrl-D para salir; Ctrl-C detiene una respuesta.
Owner = **Lo que puede hacer el propietario**

    - `/pair`: ver quién pide acceso y decidir
    - Aprobar o rechazar lo que pregunto a otros, esté donde esté

    Donde funciono, `clifford --help` muestra el resto: personas, reglas, presupuestos, ajustes.
Managers = Quien administra este lugar puede aprobar y rechazar por todos.
Line = `/{ $form }`: { $about }
LineInPrivate = `/{ $form }`: { $about } (en un chat privado conmigo)
HowToAsk = Escribe tu pregunta detrás, por ejemplo `/ask ¿a qué distancia está la Luna?`.
NoSuchCommand = No conozco el comando `/{ $name }`. `/help` muestra los que conozco.
