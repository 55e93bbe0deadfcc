//! Channels, as they are stored, and how the bot answers there.

use clifford_chat::{
    inbound::{ANSWERS_ONLY, PlaceKind},
    outbound::Address,
    platform::Platform,
};
use serde::Serialize;

use crate::{
    clock::Timestamp,
    column::text_enum,
    id::{AgentId, ChannelId, ContextId, SpaceId, UserId},
    row::FromRow,
};

text_enum! {
    /// How an agent or channel answers.
    Mode {
        /// A run answers: notes, tools, steps.
        Run = "run",
        /// One model call answers, without tools.
        Chat = "chat",
    }
}

text_enum! {
    /// Where an agent, or a version of its prompt, comes from.
    AgentSource {
        /// It stands in `bot.toml`.
        Config = "config",
        /// An owner made it, through the API, the dashboard or the shell.
        Owner = "owner",
    }
}

text_enum! {
    /// The kind of place that a channel is.
    ChannelKind {
        /// One person and the bot.
        Private = "private",
        /// Several people.
        Group = "group",
        /// A thread or topic within a shared place.
        Thread = "thread",
    }
}

impl From<PlaceKind> for ChannelKind {
    fn from(kind: PlaceKind) -> Self {
        match kind {
            PlaceKind::Private => Self::Private,
            PlaceKind::Group => Self::Group,
            PlaceKind::Thread => Self::Thread,
        }
    }
}

impl From<ChannelKind> for PlaceKind {
    fn from(kind: ChannelKind) -> Self {
        match kind {
            ChannelKind::Private => Self::Private,
            ChannelKind::Group => Self::Group,
            ChannelKind::Thread => Self::Thread,
        }
    }
}

/// Why a channel is off that somebody turned off: it stays so when people speak there.
pub const TURNED_OFF: &str = "turned off";

/// How the reason begins why a channel is disabled where the bot reads, and may not write.
pub const MAY_NOT_WRITE: &str = "the bot may not write there";

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    /// Its id.
    #[schema(value_type = String)]
    pub id: ChannelId,
    /// The platform's name.
    pub platform: String,
    /// The platform's id of it.
    pub external_id: String,
    /// The channel that a thread or topic belongs to, whose rules and settings hold there too.
    #[schema(value_type = Option<String>)]
    pub parent_id: Option<ChannelId>,
    /// Private or shared.
    pub kind: ChannelKind,
    /// Its name as people see it.
    pub name: Option<String>,
    /// The guild or group that it belongs to.
    #[schema(value_type = Option<String>)]
    pub space_id: Option<SpaceId>,
    /// The person of a private channel.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// Whether messages go there.
    pub enabled: bool,
    /// Why not.
    pub disabled_reason: Option<String>,
    /// Its own agent; else the default one.
    #[schema(value_type = Option<String>)]
    pub agent_id: Option<AgentId>,
    /// How it answers.
    pub mode: Mode,
    /// The conversation that goes on there.
    #[schema(value_type = Option<String>)]
    pub active_context_id: Option<ContextId>,
    /// When something was last said there.
    #[schema(value_type = Option<String>)]
    pub last_message_at: Option<Timestamp>,
}

impl Channel {
    /// One person and the bot.
    pub fn is_private(&self) -> bool {
        self.kind == ChannelKind::Private
    }

    /// Whether the bot can answer there, but not begin to speak.
    pub fn only_answers(&self) -> bool {
        self.external_id.starts_with(ANSWERS_ONLY)
    }

    /// Somebody turned it off.
    pub fn is_turned_off(&self) -> bool {
        !self.enabled && self.disabled_reason.as_deref() == Some(TURNED_OFF)
    }

    /// The platform.
    ///
    /// # Errors
    /// A newer version knows more platforms.
    pub fn platform(&self) -> Result<Platform, String> {
        self.platform.parse()
    }

    /// Where it is, in its platform's terms.
    pub fn address(&self) -> Address {
        Address {
            place: self.external_id.clone(),
            private: self.is_private(),
            reply_to: None,
            via: None,
        }
    }
}

text_enum! {
    /// The handling of a message that arrives while another is being answered.
    WhenBusy {
        /// It waits for its turn.
        FollowUp = "follow_up",
        /// The work takes it in.
        Steer = "steer",
        /// The work ends, and it is answered at once.
        Interrupt = "interrupt",
    }
}

text_enum! {
    /// Whether answers are spoken as well.
    VoiceReplies {
        /// They are not.
        Never = "never",
        /// Answers to voice messages are spoken.
        WhenSpokenTo = "when_spoken_to",
        /// All are.
        Always = "always",
    }
}

text_enum! {
    /// Where in a group or server the bot speaks.
    Speaks {
        /// Where it is addressed.
        Addressed = "addressed",
        /// It answers every message.
        Always = "always",
        /// It answers nothing.
        Never = "never",
    }
}

text_enum! {
    /// Whether questions in a channel are answered in threads.
    Threads {
        /// They are answered where they are asked.
        Off = "off",
        /// Each is answered in a new one.
        Auto = "auto",
    }
}
