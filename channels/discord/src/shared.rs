//! The state that receiving and sending share.

use clifford_channel::ChannelError;
use tokio::{sync::Mutex, time::Instant};

use crate::{answers::Answers, api::Api, config::DiscordConfig, directory::Directory, drafts::Drafts};

/// One bot's settings, its REST API, and what this process remembers of Discord.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: DiscordConfig,
    pub(crate) api: Api,
    pub(crate) directory: Directory,
    pub(crate) answers: Answers,
    pub(crate) drafts: Drafts,
    /// When one of the shards identified last.
    pub(crate) identified: Mutex<Option<Instant>>,
}

impl Shared {
    /// # Errors
    /// [`ChannelError::Misconfigured`] if the token cannot be part of a request.
    pub(crate) fn new(config: DiscordConfig) -> Result<Self, ChannelError> {
        Ok(Self {
            api: Api::new(&config)?,
            config,
            directory: Directory::default(),
            answers: Answers::default(),
            drafts: Drafts::default(),
            identified: Mutex::default(),
        })
    }
}
