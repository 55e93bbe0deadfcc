Refused = Desculpe, não consegui enviar minha resposta aqui: ela foi recusada. Pergunte de novo, ou peça uma resposta mais curta.
TooLong = Desculpe, por muito tempo não consegui enviar uma resposta minha aqui. Pergunte de novo, por favor.
Files = { $count ->
    [one] Desculpe, não consegui enviar o arquivo { $names }. Peça de novo, ou em outra forma.
   *[other] Desculpe, não consegui enviar os arquivos { $names }. Peça de novo, ou em outra forma.
}
FilesOfNoName = { $count ->
    [one] Desculpe, não consegui enviar o arquivo que vai aqui. Peça de novo, ou em outra forma.
   *[other] Desculpe, não consegui enviar os arquivos que vão aqui. Peça de novo, ou em outra forma.
}
NorFiles = { $count ->
    [one] O arquivo dela também não foi enviado: { $names }.
   *[other] Os arquivos dela também não foram enviados: { $names }.
}
