//! The commands that people give in a chat: the same list is shown by `/help` and registered with the platforms.

use clifford_text::{Lang, Menu};

/// A command: its name, what it takes, what it does.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// Its name without the slash.
    pub name: &'static str,
    /// Its argument, and whether the argument is required.
    pub argument: Option<(&'static str, bool)>,
    /// Its description, in a few words of each language.
    pub description: Menu,
}

impl CommandSpec {
    /// Its description, as somebody reads it.
    pub fn about(&self, lang: Lang) -> String {
        lang.say(self.description)
    }

    /// Whether its argument is a secret, so that it is taken in private only.
    pub fn is_private(&self) -> bool {
        self.name == "key"
    }

    /// Whether it is answered in private chats only: elsewhere it says so.
    pub fn is_in_private_only(&self) -> bool {
        IN_PRIVATE_ONLY.contains(&self.name)
    }

    /// Whether it is of its giver alone, wherever it is given: where a platform can, nobody else sees the answer.
    pub fn is_personal(&self) -> bool {
        self.is_in_private_only() || PERSONAL.contains(&self.name)
    }

    /// Whether it is of use to those alone who manage a place, where people share one.
    pub fn is_for_managers(&self) -> bool {
        self.name == "settings"
    }
}

/// Commands that are answered in private chats only.
const IN_PRIVATE_ONLY: [&str; 7] = ["continue", "dashboard", "link", "unlink", "export", "erase", "key"];

/// Commands whose answers are nobody else's business, beside those that are answered in private chats only.
const PERSONAL: [&str; 12] = [
    "memory",
    "forget",
    "pin",
    "share",
    "private",
    "search",
    "reminders",
    "settings",
    "usage",
    "undo",
    "whoami",
    "help",
];

const fn command(name: &'static str, argument: Option<(&'static str, bool)>, description: Menu) -> CommandSpec {
    CommandSpec {
        name,
        argument,
        description,
    }
}

/// Every command.
pub const COMMANDS: &[CommandSpec] = &[
    command("new", Some(("name", false)), Menu::New),
    command("contexts", None, Menu::Contexts),
    command("switch", Some(("name", true)), Menu::Switch),
    command("close", None, Menu::Close),
    command("continue", Some(("conversation", false)), Menu::Continue),
    command("search", Some(("words", true)), Menu::Search),
    command("memory", None, Menu::Memory),
    command("forget", Some(("key", true)), Menu::Forget),
    command("pin", Some(("key", true)), Menu::Pin),
    command("share", Some(("key", true)), Menu::Share),
    command("private", Some(("key", true)), Menu::Private),
    command("reminders", Some(("remove", false)), Menu::Reminders),
    command("link", Some(("code", false)), Menu::Link),
    command("unlink", Some(("confirmation", false)), Menu::Unlink),
    command("dashboard", None, Menu::Dashboard),
    command("export", None, Menu::Export),
    command("erase", Some(("confirmation", false)), Menu::Erase),
    command("key", Some(("what", false)), Menu::Key),
    command("settings", Some(("what", false)), Menu::Settings),
    command("model", Some(("name", false)), Menu::Model),
    command("usage", None, Menu::Usage),
    command("why", None, Menu::Why),
    command("undo", Some(("run", false)), Menu::Undo),
    command("approve", Some(("id", false)), Menu::Approve),
    command("deny", Some(("id", false)), Menu::Deny),
    command("stop", None, Menu::Stop),
    command("whoami", None, Menu::Whoami),
    command("help", Some(("topic", false)), Menu::Help),
];

/// Commands that stand in no list: buttons give them, and people who were told of them, or know `/why` by another name.
const UNLISTED: [&str; 4] = ["start", "pair", "rate", "trace"];

/// Whether this is a command of this bot.
pub fn is_known(name: &str) -> bool {
    UNLISTED.contains(&name) || COMMANDS.iter().any(|command| command.name == name)
}
