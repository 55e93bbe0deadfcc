//! Ids: UUIDv7, so that they sort by the time of their making; a type each, so that they can't be mixed up.
//!
//! The same in SQL (TEXT), JSON and Rust.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new id. Within one process each is greater than the ones before.
            #[expect(clippy::new_without_default, reason = "a default that differs each time surprises")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::from_str(text).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = uuid::Error;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        $crate::column::text_column!($name);
    )*};
}

id! {
    /// An agent: a prompt with its settings.
    AgentId;
    /// A person.
    UserId;
    /// A place with members.
    SpaceId;
    /// One place where messages are exchanged.
    ChannelId;
    /// One conversation.
    ContextId;
    /// One message, in or out.
    MessageId;
    /// One piece of durable work.
    RunId;
    /// One memory item.
    MemoryItemId;
    /// One rule about tool calls.
    PolicyId;
    /// One change of a setting.
    SettingChangeId;
    /// One piece of work that belongs to no run.
    JobId;
    /// Something that wakes a run again and again.
    TriggerId;
    /// One model call's usage.
    UsageId;
    /// One file.
    FileId;
    /// One document that can be searched.
    DocumentId;
    /// One API token.
    TokenId;
    /// One session in a browser.
    SessionId;
    /// One passkey of a person.
    PasskeyId;
    /// One secret that a person gave.
    UserSecretId;
    /// One running process.
    WorkerId;
}

impl MessageId {
    /// The least of all ids that are made at a moment or later.
    pub fn first_at(moment: crate::clock::Timestamp) -> Self {
        let millis = u64::try_from(moment.0).unwrap_or(0);
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid())
    }
}
