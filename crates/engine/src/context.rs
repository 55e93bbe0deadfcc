//! The context that the whole engine shares.

use std::sync::Arc;

use clifford_content::memory::recall::Amounts;
use clifford_core::{
    budget::Budget,
    clock::SharedClock,
    id::WorkerId,
    places::Mode,
    run::rules::Rules,
    settings::{Engine, Ingress, Memory, Retention, Triggers},
};
use clifford_delivery::{Delivery, outbound::Outbound};
use clifford_store::{Db, leases::clock_guard::ClockGuard, places::place_settings::PlaceSettings};
use clifford_telemetry::quarantine::Isolation;
use clifford_tools::{Registry, Services};
use clifford_vault::Masker;
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    ambient::Ambient,
    events::Events,
    models::{encryption::Encryption, roles::Roles},
};

/// How many of a context's messages a direct chat's prompt has.
const CHAT_TURNS: u32 = 40;

/// The sections of `bot.toml` that the engine works by.
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// `[engine]`.
    pub engine: Engine,
    /// `[ingress]`.
    pub ingress: Ingress,
    /// `[memory]`.
    pub memory: Memory,
    /// `[triggers]`.
    pub triggers: Triggers,
    /// `[[budgets]]`.
    pub budgets: Vec<Budget>,
    /// `[retention]`.
    pub retention: Retention,
}

impl EngineSettings {
    /// The defaults for places without settings of their own.
    pub const fn defaults(&self) -> PlaceSettings {
        PlaceSettings::configured(&self.ingress, &self.memory)
    }

    /// How much of what was said comes into a prompt.
    pub fn amounts(&self, mode: Mode) -> Amounts {
        Amounts {
            turns: match mode {
                Mode::Run => self.engine.conversation_limit,
                Mode::Chat => CHAT_TURNS,
            },
            each: self.memory.cross_channel_limit,
        }
    }
}

/// The context of runs, jobs and triggers: the database, the clock, the models and the rest. One per process; code that
/// needs the database alone takes the database.
pub struct Context {
    /// The database.
    pub db: Db,
    /// The clock.
    pub clock: SharedClock,
    /// This process.
    pub worker: WorkerId,
    /// Tells when leases of other processes may be taken over.
    pub clock_guard: ClockGuard,
    /// The rules' numbers.
    pub rules: Rules,
    /// Settings.
    pub settings: EngineSettings,
    /// The models, by role.
    pub models: Arc<Roles>,
    /// The tools.
    pub tools: Arc<Registry>,
    /// The services that tools use.
    pub services: Arc<Services>,
    /// Makes messages.
    pub outbound: Outbound,
    /// Delivers them.
    pub delivery: Delivery,
    /// Hides secrets.
    pub masker: Arc<Masker>,
    /// Encrypts secrets before they are stored.
    pub encryption: Arc<Encryption>,
    /// Tells those who watch.
    pub events: Events,
    /// Wakes the loops that look for work.
    pub notify: Notifiers,
    /// Told to stop: no new steps are begun.
    pub stop: CancellationToken,
    /// Tasks that a stopping process waits for: one a run, and what must be written to its end.
    pub tasks: TaskTracker,
    /// Work that processes died of is done alone.
    pub isolation: Isolation,
    /// What people said around, kept in memory.
    pub ambient: Ambient,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("worker", &self.worker)
            .finish_non_exhaustive()
    }
}

/// Notifiers wake the loops of this process before their next look.
#[derive(Debug, Default)]
pub struct Notifiers {
    /// There is a run to claim, or a wake to wait for.
    pub runs: Arc<Notify>,
    /// There is a job to do.
    pub jobs: Notify,
    /// A reservation of a budget was settled.
    pub budget: Notify,
}
