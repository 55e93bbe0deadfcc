//! On whose behalf and where a tool works.

use std::sync::Arc;

use super::Registry;
use crate::{
    clock::SharedClock,
    id::{ChannelId, ContextId, RunId, SpaceId, UserId},
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
    /// The run's user.
    pub user: Option<UserId>,
    /// The run's conversation.
    pub context: Option<ContextId>,
    /// Its channel, with the space of that.
    pub place: Option<(ChannelId, Option<SpaceId>)>,
    /// What holds in a place where nothing else is set.
    pub defaults: PlaceSettings,
    /// What the run's channel may see of its user's memory.
    pub viewer: Viewer,
    /// The only tools that the run may call, if it is limited.
    pub allowed: Option<Vec<String>>,
    /// The run at the root of its tree: what people asked belongs to it.
    pub root_run: RunId,
    /// Where it may search.
    pub scope: Scope,
    /// The same for every attempt at this very call.
    pub idempotency_key: String,
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
}
