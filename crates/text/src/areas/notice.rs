//! What the owner is told without having asked.

use crate::message::messages;

messages! {
    /// A message to the owner, or a part of one.
    Notice in "notice" {
        DaySpent { whose: String, limits: String, date: String, time: String },
        MonthSpent { whose: String, limits: String, date: String, time: String },
        /// Whose budget it is.
        TheBot,
        APerson,
        ASpace,
    }
}
