//! Why something that somebody said or pressed is not answered: limits of messages, and rules of a place.

use crate::message::{Count, messages};

messages! {
    /// Why somebody is not answered.
    Unheard in "unheard" {
        /// A limit of their own messages.
        TooFast { wait: String },
        /// A limit of everybody's messages in a place.
        EnoughHere { wait: String },
        /// When to try again, within the sentences before.
        InSeconds { seconds: String },
        InMinutes { count: Count },
        InHours { count: Count },
        /// Managers let only people of some roles use the bot.
        OnlyRoles { roles: String },
        /// Managers told the bot to say nothing, or an owner turned it off.
        SilentHere,
    }
}
