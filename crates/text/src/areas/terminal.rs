//! The lines of the terminal itself.

use crate::message::messages;

messages! {
    /// A line of the terminal's own.
    Terminal in "terminal" {
        Welcome,
        AtWork { seconds: String },
        NotAnswered,
        NotStored { error: String },
        ServerGone,
        ServerBack,
        NotText,
    }
}
