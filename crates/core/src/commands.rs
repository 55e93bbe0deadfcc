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
}

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
    command("switch", Some(("name", true)), "Go on with another conversation"),
    command("close", None, "Close this conversation"),
    command(
        "continue",
        Some(("conversation", false)),
        "Go on here with a conversation from another platform",
    ),
    command("search", Some(("words", true)), "Look for what was said before"),
    command("memory", None, "Show what I know about you"),
    command("forget", Some(("key", true)), "Forget something about you, or `all`"),
    command(
        "pin",
        Some(("key", true)),
        "Keep something as it is, or let it change again",
    ),
    command(
        "share",
        Some(("key", true)),
        "Let something be known wherever you speak to me",
    ),
    command("private", Some(("key", true)), "Let something be known in private only"),
    command(
        "reminders",
        Some(("remove", false)),
        "List your reminders, and take one back",
    ),
    command("link", Some(("code", false)), "Make two of your accounts one"),
    command(
        "unlink",
        Some(("confirmation", false)),
        "Part this account from your others",
    ),
    command("export", None, "Get everything that I have of you"),
    command(
        "erase",
        Some(("confirmation", false)),
        "Delete everything that I have of you",
    ),
    command(
        "key",
        Some(("what", false)),
        "Let me answer you by your own key for a model",
    ),
    command("usage", None, "Show what your requests have used"),
    command("why", None, "Show how my last answer came about"),
    command("approve", Some(("id", false)), "Approve what I asked you for"),
    command("deny", Some(("id", false)), "Deny what I asked you for"),
    command("stop", None, "Stop what I am doing here"),
    command("whoami", None, "Show who you are to me"),
    command("help", None, "Show what I can do"),
];

/// Whether this is a command of this bot.
pub fn is_known(name: &str) -> bool {
    name == "start" || COMMANDS.iter().any(|command| command.name == name)
}
