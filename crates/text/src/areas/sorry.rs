//! Reasons of apologies. Each stands behind "Sorry, " (`Outcome::Apology`), or, with a capital letter, behind "I could not
//! finish the rest." (`Outcome::RestBecause`).

use crate::message::messages;

messages! {
    /// The reason of an apology.
    Sorry in "sorry" {
        /// A reply stayed unreadable.
        BadReply,
        /// A reply was longer than one may be.
        ReplyTooLong,
        /// A stall, where there is nothing better to say.
        Stuck,
        /// An error that nobody outside can mend.
        Error,
        /// Processes that worked on a run died.
        Quarantined,
        /// Processes that fired a trigger died.
        TriggerQuarantined,
        /// Processes that stored a message died.
        EventQuarantined,
        /// Processes that sent an answer died.
        MessageQuarantined,
        /// A run repeated itself and has nothing to say.
        Repeated,
        /// A run has called tools, and came to no answer.
        Unfinished,
        ModelDown,
        ModelRefused,
        ModelBusy,
        ModelTooLong,
        ModelTooSmall,
        ModelRefusesRequest,
        ModelKey,
        ModelForbidden,
        ModelUnknown,
        ModelUnpaid,
        /// A run's time is over.
        Time,
        /// A run's budget is spent.
        Budget,
        ToolFailed { tool: String },
        ToolFailedBecause { tool: String, error: String },
        ToolRepeated { tool: String },
        /// A period in the sentences below.
        Today,
        ThisMonth,
        SpentByPerson { period: String, date: String, time: String },
        SpentBySpace { period: String, date: String, time: String },
        SpentByMember { period: String, date: String, time: String },
        SpentByBot { period: String, date: String, time: String },
        OwnKeyRefused { provider: String },
        OwnKeyRefusedBecause { provider: String, reason: String },
        OwnKeyUnusable { provider: String },
    }
}
