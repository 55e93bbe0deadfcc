Greeting = 你好！我是 { $name }。还没有连接语言模型，所以只有几条规则来回答；发送“帮助”可以看到它们会做什么。
Hello = 你好！
Welcome = 不客气。
Help =
    我是 { $name }。没有连接语言模型，所以由几条规则来回答；它们懂英语和德语。它们可以：
    - 计算和换算："17 * 23"、"5 km in miles"、"20 °C in °F"
    - 告诉你时间和日期："what time is it in Tokyo?"、"how many days until Christmas?"
    - 查询天气："weather in Oslo tomorrow"
    - 记住事情："my cat is called Miro"、"what is my cat called?"、"what do you know about me?"
    - 提醒你："remind me in 10 minutes to stretch"、"my reminders"

    其他事情请给我一个模型：设置 OPENAI_API_KEY 或 ANTHROPIC_API_KEY，或者运行 `clifford init`（也支持 Ollama 和其他本地服务器）。
NeedsModel = 我只是几条规则；请给我一个模型：设置 OPENAI_API_KEY 或 ANTHROPIC_API_KEY，或者运行 `clifford init`（也支持 Ollama 和其他本地服务器）。发送“帮助”可以看到我没有模型时能做什么。
Name = 我叫 { $name }。
Being = 我是 { $name }，一个聊天机器人。没有连接语言模型，所以只有几条规则回答你；发送“帮助”可以看到它们会做什么。
Fine = 我的规则都很正常，谢谢！
Bye = 再见！
