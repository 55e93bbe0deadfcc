//! Sentences about what is remembered of a person.

use crate::message::{Count, messages};

messages! {
    /// Replies of `/memory` and related commands.
    Items in "items" {
        IsOff,
        KnowNothing,
        KnowNothingHere,
        Known,
        KnownHere,
        /// The meaning of the marks.
        Pinned,
        Shared,
        Local,
        AskInPrivate,
        HowToChange,
        HowTheyCome,
        Forgotten { name: String },
        NothingToForget,
        ForgottenAll { count: Count },
        OutOfUse { count: Count },
        /// Everything is to be forgotten: in private, and where others read along.
        DeletesAll { list: String, command: String },
        DeletesAllHere { list: String, command: String },
        ForgetAll,
        StaysAsItIs { name: String },
        IsPinned { name: String },
        IsNotPinned { name: String },
        IsShared { name: String },
        IsPrivate { name: String },
        Several { list: String },
        WriteKey { command: String },
        NoSuchKey { key: String },
        DidYouMean { key: String, list: String },
    }
}
