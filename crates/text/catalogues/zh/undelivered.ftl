Refused = 抱歉，我没能在这里发送回答：它被拒绝了。请再问一次，或要求更短的回答。
TooLong = 抱歉，我的一个回答很久都没能发送到这里。请再问一次。
Files = { $count ->
   *[other] 抱歉，我没能把文件 { $names } 发给你。请再要一次，或换一种形式。
}
FilesOfNoName = { $count ->
   *[other] 抱歉，我没能把这里的文件发给你。请再要一次，或换一种形式。
}
NorFiles = { $count ->
   *[other] 它的文件也没有发送：{ $names }。
}
