//! Voice messages that nobody writes down.

use crate::message::messages;

messages! {
    /// What is said about voice messages.
    Voice in "voice" {
        CannotHear,
        /// To the owner.
        CannotHearOwner,
    }
}
