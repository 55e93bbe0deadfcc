//! What was taken back, and what was not: parts of a sentence.

use crate::message::messages;

messages! {
    /// What became of something that was to be taken back.
    UndoPart in "undo" {
        ReminderGone { text: String },
        ReminderChanged { text: String },
        ReminderThere { text: String },
        ReminderRemoved { text: String },
        ReminderAsItWas { text: String },
        ReminderSetAgain { text: String },
        /// With its next time.
        Next { what: String, next: String },
        ItemChanged { key: String },
        ItemForgotten { key: String },
        ItemAgain { key: String, text: String },
    }
}
