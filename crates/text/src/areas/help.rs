//! Replies of `/help`.

use crate::message::messages;

messages! {
    /// Replies of `/help`.
    Help in "help" {
        AboutChats,
        AboutMemory,
        AboutWork,
        AboutYou,
        AboutOwner,
        /// Where nothing particular was asked, in private.
        BeginPrivate,
        /// The same where others read along.
        BeginShared,
        /// The topic is unknown.
        Unknown { topic: String },
        /// How the terminal is left.
        Leaving,
        /// All of the topic of owners.
        Owner,
        /// Below the topic of questions where others read along.
        Managers,
        /// One command: how it is written, and its description.
        Line { form: String, about: String },
        /// The same of one that is answered in private only.
        LineInPrivate { form: String, about: String },
        /// `/ask` without a question.
        HowToAsk,
        /// There is no such command.
        NoSuchCommand { name: String },
    }
}
