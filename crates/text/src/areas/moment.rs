//! Days, times and how often something comes, as they are written in a language.

use crate::message::messages;

messages! {
    /// A day, a time, or how often something comes.
    Moment in "moment" {
        Date { day: String, month: String, year: String },
        At { weekday: String, date: String, time: String },
        /// A weekday, short.
        Sun,
        Mon,
        Tue,
        Wed,
        Thu,
        Fri,
        Sat,
        /// How often a reminder comes.
        EveryDay { time: String },
        EveryWorkday { time: String },
        EveryWeekend { time: String },
        EverySunday { time: String },
        EveryMonday { time: String },
        EveryTuesday { time: String },
        EveryWednesday { time: String },
        EveryThursday { time: String },
        EveryFriday { time: String },
        EverySaturday { time: String },
        Monthly { day: String, time: String },
        /// Days of the week, short.
        OnDays { days: String, time: String },
        EveryDays { count: String, time: String },
        EveryWeeks { count: String, days: String, time: String },
        ByCron { cron: String },
    }
}
