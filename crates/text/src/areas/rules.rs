//! Replies of a bot without a language model.

use crate::message::messages;

messages! {
    /// A sentence of the responder that is a few rules.
    Rules in "rules" {
        Greeting { name: String },
        /// Where more follows.
        Hello,
        Welcome,
        Help { name: String },
        /// It cannot do what was asked for.
        NeedsModel,
        Name { name: String },
        Being { name: String },
        Fine,
        Bye,
    }
}
