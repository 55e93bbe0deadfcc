//! `[ingress]`: how messages come in.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Hours, Milliseconds, Minutes, Seconds};
use crate::places::{Threads, VoiceReplies, WhenBusy};

/// How messages come in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ingress {
    /// Messages of one author that follow each other within this time are answered as one; 0 = answer each at once.
    #[serde(rename = "debounce_ms", with = "Milliseconds")]
    #[schemars(range(min = 0, max = 60_000))]
    pub debounce: Duration,
    /// The wait for the next piece of an album, whose pieces are one message.
    #[serde(rename = "album_ms", with = "Milliseconds")]
    #[schemars(range(min = 0, max = 10_000))]
    pub album: Duration,
    /// The highest age at which a message missed in a gap is still answered; older ones become history only.
    #[serde(rename = "catch_up_minutes", with = "Minutes")]
    #[schemars(range(min = 0, max = 10_080))]
    pub catch_up: Duration,
    /// The time without a message after which a conversation closes by itself; 0 = never.
    #[serde(rename = "auto_close_hours", with = "Hours")]
    #[schemars(range(min = 0, max = 8760))]
    pub auto_close: Duration,
    /// The treatment of a message that arrives while another is being answered. `follow_up`: it waits, and is answered
    /// next, together with all that its person wrote meanwhile; in a shared place each person by an answer of their own.
    /// `steer`: the work takes it in, if it is that person's. `interrupt`: that person's work ends, and the message is
    /// answered at once.
    pub when_busy: WhenBusy,
    /// How many people of a shared place are answered at the same time, each by work of their own; others wait for their
    /// turn. 1 = one after the other.
    #[schemars(range(min = 1, max = 20))]
    pub shared_parallel: u32,
    /// Whether answers are sent as voice messages too, where a model has the role `speech`. `when_spoken_to`: those to voice
    /// messages are.
    pub voice_replies: VoiceReplies,
    /// Whether a question in a channel is answered in a new thread with a conversation of its own. `auto`: each is, where
    /// the bot may open threads; on Telegram in a forum. `off`: only one by `/ask thread:true`.
    pub threads: Threads,
    /// How long an edit of a question that is being answered takes its place, where `when_busy` is `interrupt`; 0 = never.
    #[serde(rename = "edit_seconds", with = "Seconds")]
    #[schemars(range(min = 0, max = 3600))]
    pub edit_within: Duration,
    /// How many of the newest messages of a shared place that did not address the bot the model sees when somebody
    /// addresses it; 0 = none. From 1 on the provider of the model reads what people say among themselves. They are kept
    /// in memory only, never in the database.
    #[schemars(range(min = 0, max = 100))]
    pub ambient_messages: u32,
    /// How long such a message is kept at most.
    #[serde(rename = "ambient_minutes", with = "Minutes")]
    #[schemars(range(min = 1, max = 1440))]
    pub ambient: Duration,
    /// The most messages of one person a minute, in chats and by tokens of people, over all processes. Tokens of the
    /// operator and of owners have no limit. 0 = no limit.
    #[schemars(range(min = 0, max = 100_000))]
    pub user_messages_per_minute: u32,
    /// The most characters of a quoted message that are shown with its reply.
    #[schemars(range(min = 0, max = 100_000))]
    pub quoted_characters: usize,
    /// Settings that nobody changes by `/settings`, and nobody but owners by the dashboard and the API:
    /// `["model", "tools"]`. They are shown as fixed.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub fixed_settings: Vec<String>,
    /// Limits of how many messages are answered, of each person, channel or space. They hold over several processes.
    pub limits: Vec<RateLimit>,
}

/// A limit of how many messages are answered: a bucket that fills by the clock, so that as many may come at once as
/// `messages` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimit {
    /// The subject whose messages are counted: `user` (each person's), `space` (all of a group or server), `channel`
    /// (all of a channel).
    pub scope: RateScope,
    /// The most messages in each `per`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub messages: u32,
    /// The time: `minute`, `hour` or `day`.
    pub per: RatePeriod,
    /// Roles of the platform, by id or name, for `user`: only people with one of them. For them it takes the place of
    /// the limits of the same time without roles; of several such, the first does.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub platform_roles: Vec<String>,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self {
            scope: RateScope::User,
            messages: 60,
            per: RatePeriod::Minute,
            platform_roles: Vec::new(),
        }
    }
}

/// The subject whose messages a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateScope {
    /// Each person's.
    User,
    /// All of a group or server.
    Space,
    /// All of a channel.
    Channel,
}

/// In which time a limit counts messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RatePeriod {
    /// 60 seconds.
    Minute,
    /// 60 minutes.
    Hour,
    /// 24 hours.
    Day,
}

impl Default for Ingress {
    fn default() -> Self {
        Self {
            debounce: Duration::ZERO,
            album: Duration::from_millis(300),
            catch_up: Duration::from_secs(3600),
            auto_close: Duration::from_secs(24 * 3600),
            when_busy: WhenBusy::FollowUp,
            shared_parallel: 3,
            voice_replies: VoiceReplies::WhenSpokenTo,
            threads: Threads::Off,
            edit_within: Duration::from_secs(30),
            ambient_messages: 0,
            ambient: Duration::from_secs(3600),
            user_messages_per_minute: 60,
            quoted_characters: 1_000,
            fixed_settings: Vec::new(),
            limits: Vec::new(),
        }
    }
}

impl Ingress {
    /// The time without a message after which a conversation closes; `None`: it stays open.
    pub fn idle(&self) -> Option<Duration> {
        Some(self.auto_close).filter(|idle| !idle.is_zero())
    }
}
