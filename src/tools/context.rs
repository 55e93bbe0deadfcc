//! On whose behalf and where a tool works, and what it works with.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use clifford_channel::Address;
use clifford_vault::Secret;
use serde::de::DeserializeOwned;

use super::{Registry, ToolError, ToolSettings};
use crate::{
    clock::SharedClock,
    files::Files,
    id::{AgentId, ChannelId, ContextId, RunId, SpaceId, UserId},
    search::Scope,
    settings::PlaceSettings,
    store::{Db, StoreError, memory_items::Viewer},
};

/// On whose behalf and where a tool works.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// The database.
    pub db: Db,
    /// The clock.
    pub clock: SharedClock,
    /// Every tool.
    pub registry: Arc<Registry>,
    /// What tools work with beside.
    pub services: Arc<Services>,
    /// The agent that does the run.
    pub agent: AgentId,
    /// The run's user.
    pub user: Option<UserId>,
    /// The run's conversation.
    pub context: Option<ContextId>,
    /// Its channel, with the space of that.
    pub place: Option<(ChannelId, Option<SpaceId>)>,
    /// Where the run's replies go.
    pub address: Option<Address>,
    /// What holds in a place where nothing else is set.
    pub defaults: PlaceSettings,
    /// What the run's channel may see of its user's memory.
    pub viewer: Viewer,
    /// The only tools that the run may call, if it is limited.
    pub allowed: Option<Vec<String>>,
    /// The run.
    pub run: RunId,
    /// The run at the root of its tree: what people asked belongs to it.
    pub root_run: RunId,
    /// Where it may search.
    pub scope: Scope,
    /// The same for every attempt at this very call.
    pub idempotency_key: String,
    /// Where what this call returns came from.
    pub origins: Arc<Origins>,
}

impl ToolContext {
    /// Whether anything is remembered where the run is.
    ///
    /// # Errors
    /// The store's.
    pub async fn remembers(&self) -> Result<bool, StoreError> {
        let settings = match self.place {
            Some((channel, space)) => self.defaults.of(&mut self.db.read().await?, space, channel).await?,
            None => self.defaults,
        };
        Ok(settings.memory)
    }

    /// What this call returns, or why it fails, holds words from outside: a web address, a file's name.
    pub fn came_from(&self, origin: impl Into<String>) {
        self.origins.add(origin.into());
    }

    /// What is set for a tool.
    ///
    /// # Errors
    /// What is set cannot be used.
    pub fn config<C: DeserializeOwned>(&self, tool: &str) -> Result<C, ToolError> {
        let section = self.services.config.of(tool);
        C::deserialize(section)
            .map_err(|error| ToolError::Unavailable(format!("[tools.{tool}] cannot be used: {error}")))
    }
}

/// What tools work with beside the database.
#[derive(Debug, Default)]
pub struct Services {
    /// What is set for them.
    pub config: ToolSettings,
    /// The secrets that their settings refer to, by `tool.key`.
    pub secrets: BTreeMap<String, Secret>,
    /// Where what is not in the database is.
    pub data_dir: PathBuf,
    /// Files.
    pub files: Arc<Files>,
}

/// Where what a call returns came from, as far as that is outside.
#[derive(Debug, Default)]
pub struct Origins(Mutex<BTreeSet<String>>);

impl Origins {
    fn add(&self, origin: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(origin);
    }

    /// All that were told.
    pub fn all(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
