//! The kinds of records, in the order of an export.

use clifford_core::value::Value;
use serde::{Deserialize, Serialize};

use super::{
    Agent, Channel, Context, Document, Feedback, File, MemoryItem, Message, Part, Person, Reminder, Rule, Run, Setting,
    SettingChange, Space, Step, Usage,
};

macro_rules! kinds {
    (nested { $($nested:ident($nested_type:ty) $nested_singular:literal $nested_plural:literal $nested_table:literal,)* }
     rows { $($row:ident($row_type:ty) $singular:literal $plural:literal $table:literal,)* }) => {
        /// A line of an export.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Record {
            $($nested($nested_type),)*
            $($row($row_type),)*
        }

        /// The kind of a record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Kind {
            $($nested,)*
            $($row,)*
        }

        impl Kind {
            /// One of them, as people say it.
            const fn singular(self) -> &'static str {
                match self {
                    $(Self::$nested => $nested_singular,)*
                    $(Self::$row => $singular,)*
                }
            }

            /// Several of them, as people say it.
            pub const fn plural(self) -> &'static str {
                match self {
                    $(Self::$nested => $nested_plural,)*
                    $(Self::$row => $plural,)*
                }
            }

            /// Its table.
            pub const fn table(self) -> &'static str {
                match self {
                    $(Self::$nested => $nested_table,)*
                    $(Self::$row => $table,)*
                }
            }

            /// Its fields, of one that is a row: those of others are read and written one by one.
            pub const fn fields(self) -> &'static [&'static str] {
                match self {
                    $(Self::$nested => &[],)*
                    $(Self::$row => $row::COLUMNS,)*
                }
            }
        }

        impl Record {
            /// Its kind.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$nested(_) => Kind::$nested,)*
                    $(Self::$row(_) => Kind::$row,)*
                }
            }

            /// Its fields' values, of one that is a row; else the record itself.
            pub(in crate::portable) fn values(self) -> Result<Vec<Value>, Self> {
                match self {
                    $(Self::$nested(row) => Err(Self::$nested(row)),)*
                    $(Self::$row(row) => Ok(row.values()),)*
                }
            }
        }
    };
}

kinds! {
    nested {
        Person(Box<Person>) "person" "people" "users",
        Agent(Box<Agent>) "agent" "agents" "agents",
        Document(Box<Document>) "document" "documents" "documents",
    }
    rows {
        Space(Box<Space>) "space" "spaces" "spaces",
        Channel(Box<Channel>) "channel" "channels" "channels",
        Context(Box<Context>) "conversation" "conversations" "contexts",
        Run(Box<Run>) "run" "runs" "runs",
        Step(Box<Step>) "step" "steps" "run_steps",
        Message(Box<Message>) "message" "messages" "messages",
        Part(Box<Part>) "part of a message" "parts of messages" "message_parts",
        Usage(Box<Usage>) "model call" "model calls" "usage",
        Feedback(Box<Feedback>) "verdict" "verdicts" "run_feedback",
        MemoryItem(Box<MemoryItem>) "memory item" "memory items" "memory_items",
        Setting(Setting) "setting" "settings" "settings",
        SettingChange(Box<SettingChange>) "change of a setting" "changes of settings" "setting_changes",
        Rule(Box<Rule>) "rule" "rules" "policies",
        Reminder(Box<Reminder>) "reminder" "reminders" "triggers",
        File(Box<File>) "file" "files" "files",
    }
}

impl Kind {
    /// Every kind, in the order of an export: what is referred to comes first.
    pub const ALL: [Self; 18] = [
        Self::Person,
        Self::Agent,
        Self::Space,
        Self::Channel,
        Self::Context,
        Self::Run,
        Self::Step,
        Self::Message,
        Self::Part,
        Self::Usage,
        Self::Feedback,
        Self::MemoryItem,
        Self::Setting,
        Self::SettingChange,
        Self::Rule,
        Self::Reminder,
        Self::Document,
        Self::File,
    ];

    /// So many of them, as people say it.
    pub fn count(self, count: u64) -> String {
        let what = if count == 1 { self.singular() } else { self.plural() };
        format!("{count} {what}")
    }

    /// The column of a field.
    pub fn column(self, field: &'static str) -> &'static str {
        match (self, field) {
            (Self::Step, "kind") => "type",
            _ => field,
        }
    }
}

impl Record {
    /// Its id, if it has one of its own.
    pub fn id(&self) -> Option<uuid::Uuid> {
        Some(match self {
            Self::Person(row) => row.id.0,
            Self::Agent(row) => row.id.0,
            Self::Space(row) => row.id.0,
            Self::Channel(row) => row.id.0,
            Self::Context(row) => row.id.0,
            Self::Run(row) => row.id.0,
            Self::Message(row) => row.id.0,
            Self::Usage(row) => row.id.0,
            Self::MemoryItem(row) => row.id.0,
            Self::SettingChange(row) => row.id.0,
            Self::Rule(row) => row.id.0,
            Self::Reminder(row) => row.id.0,
            Self::Document(row) => row.id.0,
            Self::File(row) => row.id.0,
            Self::Step(_) | Self::Part(_) | Self::Feedback(_) | Self::Setting(_) => return None,
        })
    }
}
