//! People's own keys for model providers.

use crate::message::messages;

messages! {
    /// What `/key` says.
    Keys in "keys" {
        SendAgain,
        HowTo { example: String, providers: String },
        NoneTakesKeys,
        NotTakenProvider { given: String, providers: String },
        NotTakenForm,
        NotTakenHere { provider: String },
        Taken { provider: String },
        /// Of the message that a key stood in.
        MessageDeleted,
        MessageStays,
        BetweenUs,
        /// The same where others read along.
        SeenDeleted,
        SeenStays,
        NoKey,
        YourKeys,
        Since { day: String },
        SinceUnused { day: String },
        NoKeyFor { provider: String },
        Forgotten { provider: String },
    }
}
