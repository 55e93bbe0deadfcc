//! Notices to a chat in place of what could not be sent there.

use crate::message::{Count, messages};

messages! {
    /// Notices to a chat in place of what could not be sent there.
    Undelivered in "undelivered" {
        /// Its platform refused a message in every form.
        Refused,
        /// It could not be sent for long.
        TooLong,
        /// Files by their names, with commas between them.
        Files { count: Count, names: String },
        /// Files without names.
        FilesOfNoName { count: Count },
        /// Behind one of the first two.
        NorFiles { count: Count, names: String },
    }
}
