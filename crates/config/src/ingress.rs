//! `[ingress]`: how messages come in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How messages come in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ingress {
    /// Messages of one author that follow each other within this time are answered as one; 0 = nobody waits.
    #[schemars(range(min = 0, max = 60_000))]
    pub debounce_ms: u64,
    /// How long to wait for the next piece of an album, whose pieces are one message.
    #[schemars(range(min = 0, max = 10_000))]
    pub album_ms: u64,
    /// How old a message may be that is found after a gap and still answered; older ones become history only.
    #[schemars(range(min = 0, max = 10_080))]
    pub catch_up_minutes: u64,
    /// After how long without a message a conversation closes by itself; 0 = never.
    #[schemars(range(min = 0, max = 8760))]
    pub auto_close_hours: u64,
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
    pub quoted_characters: u32,
}

impl Default for Ingress {
    fn default() -> Self {
        Self {
            debounce_ms: 0,
            album_ms: 300,
            catch_up_minutes: 60,
            auto_close_hours: 24,
            when_busy: WhenBusy::FollowUp,
            user_messages_per_minute: 60,
            quoted_characters: 1_000,
        }
    }
}

/// What becomes of a message that arrives while another is being answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenBusy {
    /// It waits for its turn.
    FollowUp,
    /// The work takes it in.
    Steer,
    /// The work ends, and it is answered at once.
    Interrupt,
}
