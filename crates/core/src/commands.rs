//! The commands that people give in a chat: the same list is shown by `/help` and registered with the platforms.

use clifford_text::{Lang, Menu};

use crate::column::text_enum;

text_enum! {
    /// A command, by its name without the slash.
    CommandName {
        /// Begins a conversation.
        New = "new",
        /// Lists the conversations.
        Contexts = "contexts",
        /// Goes on with another conversation.
        Switch = "switch",
        /// Closes the conversation.
        Close = "close",
        /// Goes on with a conversation from another platform.
        Continue = "continue",
        /// Searches what was said.
        Search = "search",
        /// Shows what is remembered.
        Memory = "memory",
        /// Forgets an item.
        Forget = "forget",
        /// Keeps an item in every prompt.
        Pin = "pin",
        /// Lets an item be known everywhere.
        Share = "share",
        /// Lets an item be known in private only.
        Private = "private",
        /// Lists and removes reminders.
        Reminders = "reminders",
        /// Makes two accounts one person's.
        Link = "link",
        /// Parts them again.
        Unlink = "unlink",
        /// Gives a link to the dashboard.
        Dashboard = "dashboard",
        /// Gives a person their data.
        Export = "export",
        /// Erases it.
        Erase = "erase",
        /// Takes a key of the person's own.
        Key = "key",
        /// Shows and changes settings.
        Settings = "settings",
        /// Chooses the model.
        Model = "model",
        /// Shows what was used.
        Usage = "usage",
        /// Explains the last answer.
        Why = "why",
        /// Takes back what a run did.
        Undo = "undo",
        /// Approves a call.
        Approve = "approve",
        /// Denies a call.
        Deny = "deny",
        /// Stops what is at work.
        Stop = "stop",
        /// Says whom the bot takes somebody for.
        Whoami = "whoami",
        /// Helps.
        Help = "help",
        /// Says how a question is put. With one it is a message instead, which speaks to the bot.
        Ask = "ask",
        /// The first command of a chat on Telegram.
        Start = "start",
        /// Lets people in.
        Pair = "pair",
        /// A verdict on an answer.
        Rate = "rate",
        /// [`Why`](Self::Why) by its old name.
        Trace = "trace",
    }
}

impl CommandName {
    /// The command of a name, if this bot has one.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|command| command.is(name))
    }

    /// Whether a name is this command's.
    pub fn is(self, name: &str) -> bool {
        self.as_str() == name
    }
}

/// A command: its name, what it takes, what it does.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// Its name without the slash.
    pub name: CommandName,
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
        self.name == CommandName::Key
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
        self.name == CommandName::Settings
    }
}

/// Commands that are answered in private chats only.
const IN_PRIVATE_ONLY: [CommandName; 7] = [
    CommandName::Continue,
    CommandName::Dashboard,
    CommandName::Link,
    CommandName::Unlink,
    CommandName::Export,
    CommandName::Erase,
    CommandName::Key,
];

/// Commands whose answers are nobody else's business, besides those that are answered in private chats only.
const PERSONAL: [CommandName; 12] = [
    CommandName::Memory,
    CommandName::Forget,
    CommandName::Pin,
    CommandName::Share,
    CommandName::Private,
    CommandName::Search,
    CommandName::Reminders,
    CommandName::Settings,
    CommandName::Usage,
    CommandName::Undo,
    CommandName::Whoami,
    CommandName::Help,
];

const fn command(name: CommandName, argument: Option<(&'static str, bool)>, description: Menu) -> CommandSpec {
    CommandSpec {
        name,
        argument,
        description,
    }
}

/// Every command.
pub const COMMANDS: &[CommandSpec] = &[
    command(CommandName::New, Some(("name", false)), Menu::New),
    command(CommandName::Contexts, None, Menu::Contexts),
    command(CommandName::Switch, Some(("name", true)), Menu::Switch),
    command(CommandName::Close, None, Menu::Close),
    command(CommandName::Continue, Some(("conversation", false)), Menu::Continue),
    command(CommandName::Search, Some(("words", true)), Menu::Search),
    command(CommandName::Memory, None, Menu::Memory),
    command(CommandName::Forget, Some(("key", true)), Menu::Forget),
    command(CommandName::Pin, Some(("key", true)), Menu::Pin),
    command(CommandName::Share, Some(("key", true)), Menu::Share),
    command(CommandName::Private, Some(("key", true)), Menu::Private),
    command(CommandName::Reminders, Some(("remove", false)), Menu::Reminders),
    command(CommandName::Link, Some(("code", false)), Menu::Link),
    command(CommandName::Unlink, Some(("confirmation", false)), Menu::Unlink),
    command(CommandName::Dashboard, None, Menu::Dashboard),
    command(CommandName::Export, None, Menu::Export),
    command(CommandName::Erase, Some(("confirmation", false)), Menu::Erase),
    command(CommandName::Key, Some(("what", false)), Menu::Key),
    command(CommandName::Settings, Some(("what", false)), Menu::Settings),
    command(CommandName::Model, Some(("name", false)), Menu::Model),
    command(CommandName::Usage, None, Menu::Usage),
    command(CommandName::Why, None, Menu::Why),
    command(CommandName::Undo, Some(("run", false)), Menu::Undo),
    command(CommandName::Approve, Some(("id", false)), Menu::Approve),
    command(CommandName::Deny, Some(("id", false)), Menu::Deny),
    command(CommandName::Stop, None, Menu::Stop),
    command(CommandName::Whoami, None, Menu::Whoami),
    command(CommandName::Help, Some(("topic", false)), Menu::Help),
];

/// Whether this is a command of this bot. Some stand in no list: buttons give them, and people who were told of them, or
/// know `/why` by another name.
pub fn is_known(name: &str) -> bool {
    CommandName::of(name).is_some()
}
