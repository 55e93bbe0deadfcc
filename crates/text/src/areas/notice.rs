//! Notices to the owner.

use crate::message::messages;

messages! {
    /// A message to the owner, or a part of one.
    Notice in "notice" {
        DaySpent { whose: String, limits: String, date: String, time: String },
        MonthSpent { whose: String, limits: String, date: String, time: String },
        /// The subject of the budget.
        TheBot,
        APerson,
        ASpace,
    }
}
