//! Results of an undo, as parts of a sentence.

use crate::message::messages;

messages! {
    /// The result of an undo for one thing.
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
