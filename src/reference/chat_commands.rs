//! `chat-commands.md`: the commands in a chat.

use std::fmt::Write;

use clifford_core::commands::COMMANDS;
use clifford_text::Lang;

use super::{cell, compare};
use crate::app::PLATFORMS;

const HEAD: &str = "\
# Reference: commands in a chat

People type these commands in a chat with the bot. TITLES show the same list in their menus, and `/help` shows it by topic.
A test generates this page from the code. Arguments in brackets are optional.

PLATFORMS

| command | effect |
| --- | --- |
";

const TAIL: &str = "
- `/start` greets, as Telegram's button does.
- `/key` works in private chats only.
- `/erase` and `/unlink` ask for a confirmation, and take its code as their argument.
- `/pair` is for owners, in private: it lists those who ask to be let in. `/pair approve telegram:8` decides, and so do
  `refuse` and `block`.
- `exit`, `quit`, `/exit` and `/quit` end the terminal's chat; they are no commands of the other platforms.

[How memory works](../explanation/memory.md) explains the commands about memory, [Approve calls](../how-to/approve.md) those
about approvals.
";

fn page() -> String {
    let titles: Vec<_> = PLATFORMS.rows().map(|row| row.about.title).collect();
    let commands: Vec<_> = PLATFORMS.rows().map(|row| row.about.commands).collect();
    let mut text = HEAD
        .replace("TITLES", &titles.join(" and "))
        .replace("PLATFORMS", &commands.join("\n"));
    for command in COMMANDS {
        let argument = match command.argument {
            Some((name, true)) => format!(" {}", name.to_uppercase()),
            Some((name, false)) => format!(" [{}]", name.to_uppercase()),
            None => String::new(),
        };
        let name = command.name;
        writeln!(
            text,
            "| `/{name}{argument}` | {} |",
            cell(&command.about(Lang::English))
        )
        .unwrap();
    }
    text + TAIL
}

#[test]
fn the_page_of_chat_commands_is_what_the_code_says() {
    compare("chat-commands.md", &page());
}
