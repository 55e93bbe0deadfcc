AboutChats = 会話
AboutMemory = 覚えていること
AboutWork = いま行っていること
AboutYou = あなたのアカウントとデータ
AboutOwner = オーナーができること
BeginPrivate = 気軽に書いてください。回答し、大事なことを覚え、リマインドもできます。
BeginShared = メンションするか返信してくれれば答えます。ここにいる全員が読めます。
Unknown = `{ $topic }` についてのヘルプはありません。
Leaving = `exit`、`quit`、Ctrl-D で終了、Ctrl-C で回答を停止します。
Owner = **オーナーができること**

    - `/pair`：利用を希望している人を確認し、判断する
    - 私がほかの人に確認していることを、どこでも承認・拒否する

    実行中のマシンで `clifford --help` を使うと、人、ルール、予算、設定など残りを確認できます。
Managers = この場所の管理者は、ここにいる全員のために承認・拒否できます。
Line = `/{ $form }`：{ $about }
LineInPrivate = `/{ $form }`：{ $about }（プライベートチャットで）
HowToAsk = 続けて質問を書いてください。例：`/ask 月までの距離は？`
NoSuchCommand = コマンド `/{ $name }` は知りません。`/help` で一覧を確認できます。
