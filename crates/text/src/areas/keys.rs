//! People's own keys for model providers.

use crate::message::messages;

messages! {
    /// Replies of `/key`.
    Keys in "keys" {
        SendAgain,
        HowTo { example: String, providers: String },
        NoneTakesKeys,
        NotTakenProvider { given: String, providers: String },
        NotTakenForm,
        NotTakenHere { provider: String },
        Taken { provider: String },
        /// The message that held the key.
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
