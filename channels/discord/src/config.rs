//! All that an adapter is made of.

use std::{fmt, sync::Arc, time::Duration};

pub use clifford_channel::{Argument, MenuCommand as SlashCommand};
use clifford_vault::{Secret, Url};
use jiff::Timestamp;

use crate::DiscordSettings;

/// Where the adapter reads the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// One bot: its section of `bot.toml` as it is, its token, and what the section does not say.
#[derive(Clone)]
pub struct DiscordConfig {
    /// `https://discord.com`, or what stands in for it; `/api/v10/…` is added.
    pub api_url: Url,
    /// The bot's token, without `Bot `.
    pub token: Secret,
    /// The keys of Discord's own.
    pub settings: DiscordSettings,
    /// The slash commands to register.
    pub commands: Vec<SlashCommand>,
    /// How long to wait for what.
    pub timing: Timing,
    /// The time.
    pub clock: Clock,
}

impl DiscordConfig {
    /// A bot with the default settings, without slash commands.
    pub fn new(api_url: Url, token: Secret) -> Self {
        Self {
            api_url,
            token,
            settings: DiscordSettings::default(),
            commands: Vec::new(),
            timing: Timing::default(),
            clock: Arc::new(Timestamp::now),
        }
    }
}

impl fmt::Debug for DiscordConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscordConfig")
            .field("api_url", &self.api_url)
            .field("settings", &self.settings)
            .field("commands", &self.commands)
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}

/// How long to wait for what. The defaults are what Discord asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The whole of a REST request.
    pub request: Duration,
    /// The whole of an interaction's acknowledgement, within Discord's 3 seconds.
    pub acknowledge: Duration,
    /// How long events of a channel wait for earlier ones that arrive later.
    pub reorder: Duration,
    /// The least time between two identifies.
    pub identify_every: Duration,
    /// The wait after an invalid session.
    pub invalid_session: Duration,
    /// The first wait before something is tried again; it doubles, up to `retry_at_most`.
    pub retry: Duration,
    /// The longest wait before something is tried again.
    pub retry_at_most: Duration,
    /// How often interactions are looked through for those that end before their answer is there.
    pub late_every: Duration,
    /// After so many connections in a row that came to nothing, receiving ends as lost.
    pub attempts: u32,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(20),
            acknowledge: Duration::from_millis(2_500),
            reorder: Duration::from_millis(5),
            identify_every: Duration::from_secs(5),
            invalid_session: Duration::from_secs(3),
            retry: Duration::from_millis(250),
            retry_at_most: Duration::from_secs(30),
            late_every: Duration::from_secs(20),
            attempts: 10,
        }
    }
}
