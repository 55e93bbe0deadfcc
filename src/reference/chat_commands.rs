//! `chat-commands.md`: what people type in a chat.

use std::fmt::Write;

use clifford_core::commands::COMMANDS;

use super::{cell, compare};

const HEAD: &str = "\
# Reference: commands in a chat

People type these commands in a chat with the bot. Telegram and Discord show the same list in their menus, and `/help` prints it.
A test generates this page from the code.

In a group of Telegram a command may name its bot: `/help@your_bot`. Discord registers the same commands as slash commands, and
`/ask QUESTION` besides. Arguments in brackets are optional.

| command | effect |
| --- | --- |
";

const TAIL: &str = "
- `/start` greets, as Telegram's button does.
- `/key` works in private chats only.
- `/erase` and `/unlink` ask for a confirmation, and take its code as their argument.
- `/quit` ends the terminal's chat; it is no command of the other platforms.

[How memory works](../explanation/memory.md) explains the commands about memory, [Approve calls](../how-to/approve.md) those
about approvals.
";

fn page() -> String {
    let mut text = HEAD.to_owned();
    for command in COMMANDS {
        let argument = match command.argument {
            Some((name, true)) => format!(" {}", name.to_uppercase()),
            Some((name, false)) => format!(" [{}]", name.to_uppercase()),
            None => String::new(),
        };
        let name = command.name;
        writeln!(text, "| `/{name}{argument}` | {} |", cell(command.description)).unwrap();
    }
    text + TAIL
}

#[test]
fn the_page_of_chat_commands_is_what_the_code_says() {
    compare("chat-commands.md", &page());
}
