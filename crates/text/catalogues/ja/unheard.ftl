TooFast = 回答できる速さより速く書いています。{ $wait }にもう一度試してください。
EnoughHere = ここでは、いま答えられる分をすべて答えました。{ $wait }にもう一度試してください。
InSeconds = { $seconds }秒後
InMinutes = { $count }分後
InHours = { $count }時間後
OnlyRoles = ここでは、次のいずれかのロールを持つ人にだけ答えます：{ $roles }
SilentHere = ここでは発言しない設定になっています。
