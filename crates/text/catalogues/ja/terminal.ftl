Welcome = /help でコマンド一覧、exit か Ctrl-D で終了、Alt-Enter で改行、Ctrl-R で入力履歴を検索。
AtWork = { $seconds } 秒 · Ctrl-C で停止
NotAnswered = 返答はありません：この端末の利用者はボットと話せません
NotStored = メッセージを保存できませんでした。再試行します：{ $error }
ServerGone = サーバーが応答しません。再試行します
ServerBack = サーバーに再接続しました
NotText = その行は失われました：UTF-8 ではありません。端末の文字コードを UTF-8 にしてください
