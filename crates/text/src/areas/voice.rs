//! Voice messages that nobody writes down.

use crate::message::messages;

messages! {
    /// Replies about voice messages.
    Voice in "voice" {
        CannotHear,
        /// To the owner.
        CannotHearOwner,
    }
}
