//! The state that receiving and sending share.

use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use clifford_channel::ChannelError;
use tokio::{sync::Mutex, time::Instant};

use crate::{
    answers::Answers, api::Api, config::DiscordConfig, directory::Directory, drafts::Drafts, lacking::Lacking, map::Me,
};

/// One bot's settings, its REST API, and what this process remembers of Discord.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: DiscordConfig,
    pub(crate) api: Api,
    pub(crate) directory: Directory,
    pub(crate) answers: Answers,
    pub(crate) drafts: Drafts,
    pub(crate) lacking: Lacking,
    /// The bot's own account, once a connection told it.
    pub(crate) me: OnceLock<Me>,
    /// When one of the shards of each of Discord's buckets identified last. Held by the one whose turn it is.
    identified: Mutex<HashMap<u32, Arc<Mutex<Option<Instant>>>>>,
    /// Over how many connections the servers are split.
    shards: AtomicU32,
    /// Discord does not let the bot read what people write to each other in servers.
    withholds_content: AtomicBool,
}

impl Shared {
    /// # Errors
    /// [`ChannelError::Misconfigured`] if the token cannot be part of a request.
    pub(crate) fn new(config: DiscordConfig) -> Result<Self, ChannelError> {
        let shards = config.settings.shards.set().unwrap_or(1);
        Ok(Self {
            api: Api::new(&config)?,
            config,
            directory: Directory::default(),
            answers: Answers::default(),
            drafts: Drafts::default(),
            lacking: Lacking::default(),
            me: OnceLock::new(),
            identified: Mutex::default(),
            shards: AtomicU32::new(shards),
            withholds_content: AtomicBool::new(false),
        })
    }

    /// Over how many connections the servers are split.
    pub(crate) fn shards(&self) -> u32 {
        self.shards.load(Ordering::Relaxed)
    }

    /// They are split over so many.
    pub(crate) fn split_over(&self, shards: u32) {
        self.shards.store(shards, Ordering::Relaxed);
    }

    /// When a shard of this bucket identified last. Those of one bucket identify one after the other.
    pub(crate) async fn identified(&self, bucket: u32) -> Arc<Mutex<Option<Instant>>> {
        Arc::clone(self.identified.lock().await.entry(bucket).or_default())
    }

    /// Whether Discord withholds what is written in servers, but for what mentions the bot.
    pub(crate) fn withholds_content(&self) -> bool {
        self.withholds_content.load(Ordering::Relaxed)
    }

    /// Discord withholds it, or not, as a connection has just learned.
    pub(crate) fn content_is_withheld(&self, withheld: bool) {
        self.withholds_content.store(withheld, Ordering::Relaxed);
    }
}
