//! The cost of a person's requests, and the rest of their budgets.

use crate::message::{Count, messages};

messages! {
    /// Replies of `/usage`.
    Usage in "usage" {
        Head,
        Today,
        ThisMonth,
        ModelCalls { count: Count },
        Tokens { tokens: String },
        Cost { cost: String },
        AllByOwnKey,
        SomeByOwnKey { count: Count, cost: String },
        Estimated,
        /// The rest, as `CostLeft` and `TokensLeft` say it.
        Left { period: String, what: String },
        LeftForEverybody { period: String, what: String },
        LeftForYouHere { period: String, what: String },
        CostLeft { left: String, all: String },
        TokensLeft { left: String, all: String },
        MessagesForYou { left: String, all: String, unit: String },
        MessagesForEverybody { left: String, all: String, unit: String },
        MessagesForChannel { left: String, all: String, unit: String },
        Minute,
        Hour,
        Day,
    }
}
