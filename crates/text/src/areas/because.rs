//! Why a call is allowed, asked for or refused: parts of sentences.

use crate::message::{Count, messages};

messages! {
    /// A reason, as a part of a sentence.
    Because in "because" {
        /// The effect of a command on the people in the chat.
        OnlyReads,
        ChangesInPrivate,
        ChangesInShared,
        Destroys,
        Sensitive,
        /// A rule decided.
        RuleAllows { rule: String },
        RuleConfirms { rule: String },
        RuleForbids { rule: String },
        PerMinute { rule: String, count: Count },
        PerHour { rule: String, count: Count },
        PerDay { rule: String, count: Count },
        PerMonth { rule: String, count: Count },
        /// The run has read words of others.
        ReadOutside { sources: String },
        AndMore { list: String, count: Count },
        CarriesOut { read: String },
        MayBeOthers { read: String },
        MayBeOthersFor { read: String, fault: String },
        /// The evidence for that.
        StandsOnlyIn { argument: String, source: String },
        NotSaid { argument: String },
        NotNamed,
        NotAnnounced { fault: String },
        /// An argument of others, in a story.
        StandsIn { argument: String, source: String },
        /// Other reasons.
        ForYouAlone,
        TooManyOpen { count: Count },
    }
}
