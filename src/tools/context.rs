//! On whose behalf and where a tool works.

use std::sync::Arc;

use super::Registry;
use crate::{
    clock::SharedClock,
    id::{ContextId, RunId, SpaceId, UserId},
    search::Scope,
    store::{Db, memory_items::Viewer},
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
    /// The space of its channel.
    pub space: Option<SpaceId>,
    /// One person and the bot, nobody else.
    pub private: bool,
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
    /// What the run's channel may see of its user's memory.
    pub fn viewer(&self) -> Viewer {
        if self.private {
            Viewer::Private
        } else {
            Viewer::Shared(self.space)
        }
    }
}
