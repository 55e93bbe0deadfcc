//! The accounts of one person: linked, parted, listed.

use crate::message::{Count, messages};

messages! {
    /// Replies of `/link`, `/unlink` and `/whoami`.
    Accounts in "accounts" {
        OnlyInPrivate,
        /// The person whose code somebody entered: the parts of one text.
        CodeBelongs { person: String },
        WasMadeOn { platform: String, name: String, account: String },
        YouBecome { person: String, known: String },
        /// Within it; and nothing is remembered.
        ThingsKnown { count: Count },
        OnlyIfYours,
        ToLink { command: String },
        BothAreMine,
        BadLinkCode,
        OtherAccount,
        Linked { person: String, accounts: String },
        PartsAgain,
        /// A code, and what it is for.
        YourCode { code: String, minutes: String },
        /// Why not.
        NoSuchCode,
        AlreadyLinked,
        TooManyTries { minutes: String },
        OtherWayRound,
        BeingErased,
        OnlyAccount,
        BadPartCode,
        Parted { person: String },
        PartedHere { person: String },
        ThisIsOwner,
        TheyAreOwner,
        PartsThis { accounts: String },
        PartsHere { accounts: String },
        StaysOwner,
        NotOwnerAnyMore,
        ToPart { command: String },
        PartThis,
        YouAre { person: String },
        /// To the person at the terminal, who has no name.
        AtThisMachine,
        /// Behind a name.
        MyOwner,
        YourId { id: String },
        RememberNothing,
        Remember { count: Count, private: String, elsewhere: String },
    }
}
