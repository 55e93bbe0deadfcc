Refused = Lo siento, no he podido enviar mi respuesta aquí: se ha rechazado. Vuelve a preguntar, o pide una respuesta más corta.
TooLong = Lo siento, durante mucho tiempo no he podido enviar aquí una respuesta mía. Vuelve a preguntar, por favor.
Files = { $count ->
    [one] Lo siento, no he podido enviarte el archivo { $names }. Pídelo otra vez, o en otra forma.
   *[other] Lo siento, no he podido enviarte los archivos { $names }. Pídelos otra vez, o en otra forma.
}
FilesOfNoName = { $count ->
    [one] Lo siento, no he podido enviarte el archivo que va aquí. Pídelo otra vez, o en otra forma.
   *[other] Lo siento, no he podido enviarte los archivos que van aquí. Pídelos otra vez, o en otra forma.
}
NorFiles = { $count ->
    [one] Su archivo tampoco se ha enviado: { $names }.
   *[other] Sus archivos tampoco se han enviado: { $names }.
}
