//! The records, as they stand in the lines of an export. Each field but those of people is a column of its table.

use clifford_core::{
    clock::Timestamp,
    column::JsonText,
    id::{ChannelId, ContextId, DocumentId, FileId, MemoryItemId, MessageId, RunId, SpaceId, TriggerId, UserId},
    messages::{Direction, MessageStatus},
    places::{ChannelKind, Mode},
    row::FromRow,
    runs::{RunKind, RunStatus},
    value::Value,
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, FromRow, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $(pub $field: $type,)* }

        impl $name {
            pub(super) const COLUMNS: &[&str] = &[$(stringify!($field)),*];

            pub(super) fn values(self) -> Vec<Value> {
                vec![$(Value::from(self.$field)),*]
            }
        }
    )*};
}

/// An account of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PersonAccount {
    /// The platform.
    pub platform: String,
    /// The platform's id of it.
    pub account: String,
    /// Its name there.
    pub name: String,
    /// Its handle there.
    pub handle: Option<String>,
    /// Since when it is known.
    pub created_at: Timestamp,
}

/// A person with their accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Person {
    /// Their id.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// Whether they may talk to the bot. Who owns it is never told.
    pub is_allowed: bool,
    /// Their language.
    pub language: Option<String>,
    /// Their time zone.
    pub time_zone: Option<String>,
    /// Since when they are known.
    pub created_at: Timestamp,
    /// Their accounts.
    pub accounts: Vec<PersonAccount>,
}

/// A document with its pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// Its id.
    pub id: DocumentId,
    /// Its owner.
    pub user_id: Option<UserId>,
    /// The shared channel that it belongs to.
    pub channel_id: Option<ChannelId>,
    /// The person who had it indexed.
    pub made_by: Option<UserId>,
    /// Its title.
    pub title: String,
    /// When it was indexed.
    pub created_at: Timestamp,
    /// Its text, cut into pieces.
    pub pieces: Vec<String>,
}

records! {
    /// A group or server.
    Space {
        id: SpaceId,
        platform: String,
        external_id: String,
        name: Option<String>,
        left_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// A channel.
    Channel {
        id: ChannelId,
        platform: String,
        external_id: String,
        kind: ChannelKind,
        name: Option<String>,
        space_id: Option<SpaceId>,
        user_id: Option<UserId>,
        account: Option<String>,
        enabled: bool,
        disabled_reason: Option<String>,
        mode: Mode,
        active_context_id: Option<ContextId>,
        last_message_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// A conversation.
    Context {
        id: ContextId,
        channel_id: ChannelId,
        user_id: Option<UserId>,
        space_id: Option<SpaceId>,
        name: Option<String>,
        summary: Option<String>,
        summary_of: Option<JsonText<Vec<UserId>>>,
        compacted_through: Option<MessageId>,
        remembered_through: Option<MessageId>,
        turn_count: i64,
        last_user_interaction_at: Timestamp,
        closed_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// A run that has ended, without its steps.
    Run {
        id: RunId,
        kind: RunKind,
        mode: Mode,
        level: i64,
        profile: Option<String>,
        channel_id: Option<ChannelId>,
        user_id: Option<UserId>,
        context_id: Option<ContextId>,
        parent_run_id: Option<RunId>,
        root_run_id: RunId,
        input_text: String,
        output_text: Option<String>,
        status: RunStatus,
        error: Option<String>,
        llm_calls: i64,
        prompt_tokens: i64,
        completion_tokens: i64,
        cached_tokens: i64,
        cost: f64,
        worked_ms: i64,
        created_at: Timestamp,
        ended_at: Option<Timestamp>,
    }
    /// A message.
    Message {
        id: MessageId,
        direction: Direction,
        channel_id: ChannelId,
        context_id: Option<ContextId>,
        user_id: Option<UserId>,
        run_id: Option<RunId>,
        content: String,
        quote: Option<JsonText<Json>>,
        attachments: Option<JsonText<Json>>,
        platform_message_id: Option<String>,
        status: MessageStatus,
        error: Option<String>,
        sent_at: Timestamp,
        edited_at: Option<Timestamp>,
        deleted_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// Something that is remembered of a person.
    MemoryItem {
        id: MemoryItemId,
        user_id: UserId,
        level: i64,
        module: String,
        key: String,
        value: String,
        confidence: f64,
        context_id: Option<ContextId>,
        origin_space: Option<SpaceId>,
        shareable: bool,
        pinned: bool,
        archived: bool,
        created_at: Timestamp,
        last_seen_at: Timestamp,
    }
    /// A setting of a person, a space or a channel.
    Setting {
        scope: String,
        name: String,
        value: String,
        updated_at: Timestamp,
    }
    /// A reminder.
    Reminder {
        id: TriggerId,
        channel_id: Option<ChannelId>,
        user_id: Option<UserId>,
        content: String,
        cron: Option<String>,
        time_zone: String,
        catch_up: String,
        enabled: bool,
        next_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
        last_fired_at: Option<Timestamp>,
    }
    /// A file; its content is an entry of its own. Without a checksum it was never kept, and there is no such entry.
    File {
        id: FileId,
        user_id: Option<UserId>,
        channel_id: Option<ChannelId>,
        space_id: Option<SpaceId>,
        message_id: Option<MessageId>,
        name: String,
        media_type: Option<String>,
        size: Option<i64>,
        sha256: Option<String>,
        came_as: Option<String>,
        seconds: Option<i64>,
        of_others: bool,
        created_at: Timestamp,
    }
}

/// A line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    Person(Box<Person>),
    Space(Box<Space>),
    Channel(Box<Channel>),
    Context(Box<Context>),
    Run(Box<Run>),
    Message(Box<Message>),
    MemoryItem(Box<MemoryItem>),
    Setting(Setting),
    Reminder(Box<Reminder>),
    Document(Box<Document>),
    File(Box<File>),
}

/// What a record is, in the order of an export: what is referred to comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Person,
    Space,
    Channel,
    Context,
    Run,
    Message,
    MemoryItem,
    Setting,
    Reminder,
    Document,
    File,
}

impl Kind {
    /// Every kind, in the order of an export.
    pub const ALL: [Self; 11] = [
        Self::Person,
        Self::Space,
        Self::Channel,
        Self::Context,
        Self::Run,
        Self::Message,
        Self::MemoryItem,
        Self::Setting,
        Self::Reminder,
        Self::Document,
        Self::File,
    ];

    /// Several of them, as people say it.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Person => "people",
            Self::Space => "spaces",
            Self::Channel => "channels",
            Self::Context => "conversations",
            Self::Run => "runs",
            Self::Message => "messages",
            Self::MemoryItem => "memory items",
            Self::Setting => "settings",
            Self::Reminder => "reminders",
            Self::Document => "documents",
            Self::File => "files",
        }
    }

    /// Its table.
    pub(super) const fn table(self) -> &'static str {
        match self {
            Self::Person => "users",
            Self::Space => "spaces",
            Self::Channel => "channels",
            Self::Context => "contexts",
            Self::Run => "runs",
            Self::Message => "messages",
            Self::MemoryItem => "memory_items",
            Self::Setting => "settings",
            Self::Reminder => "triggers",
            Self::Document => "documents",
            Self::File => "files",
        }
    }
}

impl Record {
    /// What it is.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Person(_) => Kind::Person,
            Self::Space(_) => Kind::Space,
            Self::Channel(_) => Kind::Channel,
            Self::Context(_) => Kind::Context,
            Self::Run(_) => Kind::Run,
            Self::Message(_) => Kind::Message,
            Self::MemoryItem(_) => Kind::MemoryItem,
            Self::Setting(_) => Kind::Setting,
            Self::Reminder(_) => Kind::Reminder,
            Self::Document(_) => Kind::Document,
            Self::File(_) => Kind::File,
        }
    }

    /// Its id; of a setting there is none.
    pub fn id(&self) -> Option<uuid::Uuid> {
        Some(match self {
            Self::Person(row) => row.id.0,
            Self::Space(row) => row.id.0,
            Self::Channel(row) => row.id.0,
            Self::Context(row) => row.id.0,
            Self::Run(row) => row.id.0,
            Self::Message(row) => row.id.0,
            Self::MemoryItem(row) => row.id.0,
            Self::Setting(_) => return None,
            Self::Reminder(row) => row.id.0,
            Self::Document(row) => row.id.0,
            Self::File(row) => row.id.0,
        })
    }
}
