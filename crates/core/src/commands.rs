//! The commands that people give in a chat: the same list is shown by `/help` and registered with the platforms.

/// A command: its name, what it takes, what it does.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// Its name without the slash.
    pub name: &'static str,
    /// Its argument, and whether the argument is required.
    pub argument: Option<(&'static str, bool)>,
    /// Its description, in a few words.
    pub description: &'static str,
}

impl CommandSpec {
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

const fn command(name: &'static str, argument: Option<(&'static str, bool)>, description: &'static str) -> CommandSpec {
    CommandSpec {
        name,
        argument,
        description,
    }
}

/// Every command.
pub const COMMANDS: &[CommandSpec] = &[
    command("new", Some(("name", false)), "Start a new conversation"),
    command("contexts", None, "List the conversations of this chat"),
    command("switch", Some(("name", true)), "Switch to another conversation"),
    command("close", None, "Close this conversation"),
    command(
        "continue",
        Some(("conversation", false)),
        "Continue a conversation from another platform here",
    ),
    command("search", Some(("words", true)), "Search earlier messages"),
    command("memory", None, "Show what I know about you"),
    command("forget", Some(("key", true)), "Forget a fact about you, or `all`"),
    command("pin", Some(("key", true)), "Pin a fact about you, or unpin it"),
    command(
        "share",
        Some(("key", true)),
        "Let me use a fact wherever you talk to me",
    ),
    command("private", Some(("key", true)), "Let me use a fact in private only"),
    command(
        "reminders",
        Some(("remove", false)),
        "List your reminders, and cancel one",
    ),
    command("link", Some(("code", false)), "Link two of your accounts"),
    command(
        "unlink",
        Some(("confirmation", false)),
        "Unlink this account from your others",
    ),
    command("dashboard", None, "Open your page in a browser"),
    command("export", None, "Get all of your data"),
    command("erase", Some(("confirmation", false)), "Delete all of your data"),
    command("key", Some(("what", false)), "Use your own key for a model"),
    command("settings", Some(("what", false)), "Show and change settings"),
    command("model", Some(("name", false)), "Show the models, and choose one"),
    command("usage", None, "Show the usage of your requests"),
    command("why", None, "Explain my last answer"),
    command("undo", Some(("run", false)), "Take back what I set or remembered last"),
    command("approve", Some(("id", false)), "Approve a call that I asked about"),
    command("deny", Some(("id", false)), "Deny a call that I asked about"),
    command("stop", None, "Stop my work in this chat"),
    command("whoami", None, "Show who you are to me"),
    command("help", Some(("topic", false)), "List my commands, by topic"),
];

/// Commands that stand in no list: buttons give them, and people who were told of them.
const UNLISTED: [&str; 3] = ["start", "pair", "rate"];

/// Whether this is a command of this bot.
pub fn is_known(name: &str) -> bool {
    UNLISTED.contains(&name) || COMMANDS.iter().any(|command| command.name == name)
}
