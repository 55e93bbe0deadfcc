IsOff = ここでは記憶がオフです。新しいことは覚えず、知っていることも使いません。
KnowNothing = あなたについてはまだ何も知りません。
KnowNothingHere = ここで話せるあなたの情報はありません。
Known = あなたについて知っていることです。
KnownHere = ここであなたについて知ってよいことです。
Pinned = 📌 そのまま保持
Shared = 🌐 どこで話していても有効
Local = 👥 話した場所でのみ有効
AskInPrivate = 残りはプライベートチャットで聞いてください。そこで話したことはそこに留まります。
HowToChange = `/forget KEY`、`/pin KEY`、`/share KEY`、`/private KEY` で変更でき、`/forget all` ですべて忘れます。
HowTheyCome = あなたについてのことは、会話が終わるか長くなったとき、または頼まれたときにすぐ覚えます。
Forgotten = 忘れました：{ $name }。
NothingToForget = 忘れるものはありません。
ForgottenAll = 忘れました：全{ $count }件。
OutOfUse = 使われていないもの{ $count }件
DeletesAll =
    あなたについて知っていることをすべて完全に削除します：

    { $list }

    実行するには `{ $command }` と書いてください。
DeletesAllHere =
    ここであなたについて知ってよいことを完全に削除します：

    { $list }

    実行するには `{ $command }` と書いてください。
ForgetAll = すべて忘れる
StaysAsItIs = { $name } はそのままです：いまの書き方では、今日は覚えられません。`/forget` で消して、もう一度教えてください。
IsPinned = { $name } を固定しました。もう一度 `/pin` するか `/forget` するまで、そのまま保持します。
IsNotPinned = { $name } の固定を解除しました。話の内容によって変わることがあります。
IsShared = { $name } は、どこで話していても、ほかの人の前でも有効になりました。
IsPrivate = { $name } はプライベートでのみ有効になりました。
Several =
    そのキーは複数あります。どれですか？

    { $list }
WriteKey = どれかを書いてください：`{ $command } KEY`。`/memory` でキーの一覧を確認できます。
NoSuchKey = キー `{ $key }` はここでは知りません。`/memory` でキーの一覧を確認できます。
DidYouMean =
    キー `{ $key }` はここでは知りません。これのことですか？

    { $list }
