//! Conversations, searches, reminders and the dashboard, as commands tell of them.

use crate::message::{Count, messages};

messages! {
    /// Sentences of commands about conversations, and about their messages and settings.
    Chats in "chats" {
        New,
        NewNamed { name: String },
        NoneYet,
        /// Behind the one that is active, or the account that is used.
        ThisOne,
        Turns { count: Count },
        HowToSwitch,
        NoSuch { name: String },
        GoingOn { name: String },
        ClosedThread,
        Closed,
        NoneOpen,
        EndedElsewhere { places: String },
        And { first: String, last: String },
        NoName,
        /// How long ago something was.
        JustNow,
        MinutesAgo { minutes: String },
        HoursAgo { hours: String },
        DaysAgo { days: String },
        /// `/continue`.
        ContinueInPrivate,
        AlreadyThere,
        NoSuchElsewhere { name: String },
        NoneElsewhere,
        HowToContinue,
        GoingOnHere { name: String, platform: String },
        Terminal,
        Web,
        /// `/search`.
        WhatToLookFor,
        FoundNothing,
        Found,
        MoreFound,
        SaidByMe,
        /// `/dashboard`.
        DashboardInPrivate,
        DashboardOff,
        DashboardBesideTerminal,
        DashboardLink { minutes: String },
        /// `/reminders`.
        Removed { what: String },
        NoSuchReminder,
        NothingSet,
        NothingSetHere,
        HowToRemind,
        HowToRemove,
        Remove { what: String },
        /// The title of a thread.
        QuestionOf { person: String },
    }
}
