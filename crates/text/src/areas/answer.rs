//! Short answers to commands: stopping, rating, undoing, letting people in.

use crate::message::{Count, messages};

messages! {
    /// A short answer to a command.
    Answer in "answer" {
        Stopped,
        NothingToStop,
        EndedAlready,
        NotYoursToStop,
        RatingThanks,
        NoSuchAnswer,
        /// `/undo`.
        UndoUnknown,
        NothingToUndo,
        UndoneAlready,
        UndoTooLate,
        UndoNotYours,
        Undone { what: String },
        NotUndone { what: String },
        /// `/pair`.
        PairNotYours,
        PairInPrivate,
        HowToPair,
        PairSettled,
        MayTalk { person: String },
        WasRefused { person: String },
        WasBlocked { person: String },
        NobodyWaits,
        TheyWait,
        MoreWait { count: Count },
        HowToKeepOut,
        ApprovePerson { person: String },
        LetIn,
        NotLetIn,
        /// To the first owner.
        YouAreOwner,
        /// To a stranger.
        OnlyKnown { code: String },
        /// Behind it, and behind `NotTheCode`, while the bot has no owner.
        IfYours,
        /// To somebody who sends something that looks like the owner's code.
        NotTheCode,
        /// To an owner, about a stranger.
        AsksToBeLetIn { person: String, account: String },
        MayTheyTalk,
        MoreMayAsk,
        PairLists,
        ApproveButton,
        RefuseButton,
        BlockButton,
        ApprovedBy { person: String },
        RefusedBy { person: String },
        BlockedBy { person: String },
        /// In a shared place, to somebody whom the bot does not know.
        OnlyKnownHere,
        OwnerWasAsked,
        /// To an owner, about a shared place.
        AsksInPlace { person: String, place: String, id: String },
        MayEverybodyThere,
        EverybodyButton,
        NobodyMoreButton,
        EverybodyBy { person: String },
        NobodyMoreBy { person: String },
        EverybodyMayTalk { place: String },
        NobodyMore { place: String },
        NoSuchPlace,
        EverybodyLetIn,
        /// Behind a reminder.
        MinutesLate { count: Count },
        HoursLate { count: Count },
        DaysLate { count: Count },
        /// Where the bot was added.
        GreetingOpen,
        GreetingKnown,
        WhatICanDo,
        SetMeUp,
    }
}
