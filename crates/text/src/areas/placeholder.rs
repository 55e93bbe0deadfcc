//! Words in place of an answer that is not there yet, where a platform shows one for it.

use crate::message::messages;

messages! {
    /// A word in place of an answer that is not there yet.
    Placeholder in "placeholder" {
        /// Something else is at work first.
        Waits,
        /// Nothing is at work for it any more, and nothing was said.
        Silent,
        /// The answer comes as a message of its own.
        Below,
    }
}
