//! The story of an answer.

use crate::message::messages;

messages! {
    /// A line of the story of an answer, or a part of one.
    Why in "why" {
        NothingYet,
        Head,
        /// In place of all that is read off the steps of a run.
        Deleted,
        NoModel,
        Models { models: String, calls: String },
        NoTools,
        Tools { tools: String },
        NothingOutside,
        Outside { sources: String },
        Private { sources: String },
        Announced { calls: String },
        /// An announced command.
        Made { command: String, most: String, made: String },
        /// A question that was asked on the way.
        Asked { name: String, step: String, why: String },
        AskedUnasked { name: String, step: String, why: String },
        Approved,
        NotInTime,
        Denied,
        /// A call that a rule refused.
        Refused { name: String, step: String, why: String },
        Prompt { tokens: String, parts: String },
        /// The parts of a prompt.
        System,
        PromptTools,
        Schema,
        Memories,
        Elsewhere,
        Conversation,
        Transcript,
        Tokens { read: String, cached: String, written: String },
        /// Behind the tokens.
        Estimated,
        Cost { cost: String },
        Time { seconds: String },
        Failed { error: String },
        FromBeginning,
        FromStep { step: String },
        /// Readers of a text.
        Anybody,
        Place,
        Person,
        Nobody,
    }
}
