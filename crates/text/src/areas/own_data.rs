//! All that is kept of a person, handed out or deleted.

use crate::message::messages;

messages! {
    /// Replies of `/export` and `/erase`.
    OwnData in "own_data" {
        InPrivate { command: String },
        GetItAt { address: String, command: String },
        TooMuch { command: String },
        SendAgain,
        Exported,
        BeingDeleted,
        BadCode,
        NothingDeleted,
        DeletesEverything { command: String },
        DeleteEverything,
    }
}
