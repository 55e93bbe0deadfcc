//! The intent of a message.

use super::questions::Question;

/// One thing that a message asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    Greet,
    Thanks,
    Help,
    Calculate(String),
    Remember {
        key: String,
        value: String,
    },
    /// About one thing, or about all.
    Recall(Option<String>),
    Remind {
        when: String,
        what: String,
    },
    /// To wait so many seconds.
    Wait(u64),
    /// A reminder that does not say when, or not in a way that is understood.
    RemindWhen,
    Ping,
    ListTools,
    Ask(Question),
    /// Nothing but emoji.
    Emoji,
    Unknown,
}
