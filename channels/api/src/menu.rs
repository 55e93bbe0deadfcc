//! The bot's commands, as a platform's menu shows them.

use clifford_text::Localized;

/// A command of the bot's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuCommand {
    /// Its name without the slash: lower case, at most 32 characters.
    pub name: String,
    /// Its description, of at most 100 characters.
    pub description: Localized,
    /// The texts that it takes, in this order, those that must be given first.
    pub arguments: Vec<Argument>,
    /// It can be given to the bot alone, and nobody else sees what is answered.
    pub private: bool,
    /// It can be given in places that people share, but only its giver sees the answer where the platform can do that.
    pub personal: bool,
    /// Its audience in places that people share. In private everybody sees it.
    pub shared: ShownTo,
}

/// The audience of a command in places that people share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownTo {
    /// Everybody there.
    #[default]
    Everybody,
    /// Those who manage the place.
    Managers,
    /// Nobody: it is answered in private only.
    Nobody,
}

/// A text that a command takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name: lower case, at most 32 characters.
    pub name: String,
    /// Its description, of at most 100 characters.
    pub description: Localized,
    /// The command cannot be used without it.
    pub required: bool,
    /// While it is typed, the ingress is asked what it may become.
    pub completes: bool,
    /// The only ones that it may be; empty: any.
    pub choices: Vec<String>,
}
