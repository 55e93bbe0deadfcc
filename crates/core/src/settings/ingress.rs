//! `[ingress]`: how messages come in.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Hours, Milliseconds, Minutes};
use crate::places::WhenBusy;

/// How messages come in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ingress {
    /// Messages of one author that follow each other within this time are answered as one; 0 = nobody waits.
    #[serde(rename = "debounce_ms", with = "Milliseconds")]
    #[schemars(range(min = 0, max = 60_000))]
    pub debounce: Duration,
    /// How long to wait for the next piece of an album, whose pieces are one message.
    #[serde(rename = "album_ms", with = "Milliseconds")]
    #[schemars(range(min = 0, max = 10_000))]
    pub album: Duration,
    /// How old a message may be that is found after a gap and still answered; older ones become history only.
    #[serde(rename = "catch_up_minutes", with = "Minutes")]
    #[schemars(range(min = 0, max = 10_080))]
    pub catch_up: Duration,
    /// After how long without a message a conversation closes by itself; 0 = never.
    #[serde(rename = "auto_close_hours", with = "Hours")]
    #[schemars(range(min = 0, max = 8760))]
    pub auto_close: Duration,
    /// What becomes of a message that arrives while another is being answered. `follow_up`: it waits, and is answered
    /// next, together with all that its person wrote meanwhile; in a shared place each person is answered in turn.
    /// `steer`: the work takes it in, if it is that person's. `interrupt`: that person's work ends, and the message is
    /// answered at once.
    pub when_busy: WhenBusy,
    /// How many messages of one person are answered in a minute, in chats and by tokens of people; tokens of the operator
    /// and of owners have no limit. 0 = any number.
    #[schemars(range(min = 0, max = 100_000))]
    pub user_messages_per_minute: u32,
    /// How many characters of a message that another one answers are shown with that.
    #[schemars(range(min = 0, max = 100_000))]
    pub quoted_characters: usize,
}

impl Default for Ingress {
    fn default() -> Self {
        Self {
            debounce: Duration::ZERO,
            album: Duration::from_millis(300),
            catch_up: Duration::from_secs(3600),
            auto_close: Duration::from_secs(24 * 3600),
            when_busy: WhenBusy::FollowUp,
            user_messages_per_minute: 60,
            quoted_characters: 1_000,
        }
    }
}
