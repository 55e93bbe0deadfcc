//! The context that the whole engine shares.

use std::sync::{Arc, atomic::AtomicBool};

use clifford_content::memory::recall::Amounts;
use clifford_core::{
    budget::{Budget, period::zone},
    clock::SharedClock,
    id::{AgentId, RunId, WorkerId},
    places::Mode,
    run::rules::Rules,
    search::Scope,
    settings::{Engine, Ingress, Memory, Retention, Triggers},
};
use clifford_delivery::Delivery;
use clifford_store::{
    Db, leases::clock_guard::ClockGuard, memory::items::Viewer, places::place_settings::PlaceSettings,
};
use clifford_telemetry::quarantine::Isolation;
use clifford_tools::{Options, Origins, Pays, ToolContext, Toolbox};
use clifford_vault::Masker;
use jiff::tz::TimeZone;
use tokio::sync::Notify;

use crate::{
    ambient::Ambient,
    events::Events,
    models::{encryption::Encryption, roles::Roles},
    process::Process,
};

/// How many of a context's messages a direct chat's prompt has.
const CHAT_TURNS: u32 = 40;

/// The sections of `bot.toml` that the engine works by.
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// The rules that runs are judged by; `[engine]` is one of them.
    pub rules: Rules,
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
    /// `[engine]`.
    pub const fn engine(&self) -> &Engine {
        &self.rules.engine
    }

    /// The time zone of budgets, and of people who have not set theirs.
    pub fn zone(&self) -> TimeZone {
        zone(&self.engine().time_zone)
    }

    /// The defaults for places without settings of their own.
    pub const fn defaults(&self) -> PlaceSettings {
        PlaceSettings::configured(&self.ingress, &self.memory)
    }

    /// How much of what was said comes into a prompt.
    pub fn amounts(&self, mode: Mode) -> Amounts {
        Amounts {
            turns: match mode {
                Mode::Run => self.engine().conversation_limit,
                Mode::Chat => CHAT_TURNS,
            },
            each: self.memory.cross_channel_limit,
        }
    }
}

/// The context of runs, jobs and triggers. One per process; code that needs the database alone takes the database.
pub struct Context {
    /// The database.
    pub(crate) db: Db,
    /// The clock.
    pub(crate) clock: SharedClock,
    /// This process among those at the database.
    pub(crate) process: Process,
    /// Work that processes died of is done alone.
    pub(crate) isolation: Isolation,
    /// Hides secrets.
    pub(crate) masker: Arc<Masker>,
    /// Settings.
    pub settings: EngineSettings,
    /// The models, by role.
    pub models: Arc<Roles>,
    /// The tools, and the services that they use.
    pub tools: Toolbox,
    /// Makes messages, and delivers them.
    pub delivery: Delivery,
    /// Encrypts secrets before they are stored.
    pub encryption: Encryption,
    /// Tells those who watch.
    pub events: Events,
    /// Wakes the loops that look for work.
    pub notify: Notifiers,
    /// Ambient messages, kept in memory.
    pub ambient: Ambient,
    /// Recorded prompts without a mark were marked.
    pub(crate) prompts_marked: AtomicBool,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("worker", &self.worker())
            .finish_non_exhaustive()
    }
}

impl Context {
    /// The context of a tool call by nobody, nowhere, of this run: its caller adds person and place.
    pub(crate) fn tool_context(
        &self,
        (agent, run): (AgentId, RunId),
        options: Arc<Options>,
        payer: Arc<dyn Pays>,
    ) -> ToolContext {
        ToolContext {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            registry: Arc::clone(&self.tools.registry),
            services: Arc::clone(&self.tools.services),
            options,
            time_zone: self.settings.engine().time_zone.clone(),
            catch_up: self.settings.triggers.catch_up,
            agent,
            user: None,
            context: None,
            place: None,
            address: None,
            defaults: self.settings.defaults(),
            viewer: Viewer::Private,
            allowed: None,
            run,
            root_run: run,
            scope: Scope::of(None, None),
            isolation: None,
            idempotency_key: run.to_string(),
            is_tainted: false,
            origins: Arc::new(Origins::default()),
            readable: usize::MAX,
            payer,
        }
    }

    /// The context of a process that takes leases by `guard`.
    pub fn new(
        db: Db,
        guard: ClockGuard,
        settings: EngineSettings,
        models: Arc<Roles>,
        tools: Toolbox,
        delivery: Delivery,
        encryption: Encryption,
    ) -> Arc<Self> {
        Arc::new(Self {
            db,
            clock: Arc::clone(guard.clock()),
            process: Process::new(guard),
            isolation: delivery.isolation(),
            masker: Arc::clone(encryption.masker()),
            events: Events::default(),
            notify: Notifiers {
                runs: Arc::clone(&tools.services.notify),
                ..Notifiers::default()
            },
            ambient: Ambient::new(settings.ingress.ambient),
            prompts_marked: AtomicBool::new(false),
            settings,
            models,
            tools,
            delivery,
            encryption,
        })
    }

    /// This process, as its leases name it.
    pub const fn worker(&self) -> WorkerId {
        self.process.worker()
    }

    /// Hides secrets.
    pub fn masker(&self) -> &Masker {
        &self.masker
    }

    /// Begins no new steps from now on: what is at work lets go of its run.
    pub fn stop(&self) {
        self.process.stop.cancel();
    }

    /// Waits until no run is at work here, and what must be written to its end is.
    pub async fn at_rest(&self) {
        self.process.tasks.close();
        self.process.tasks.wait().await;
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
    pub(crate) budget: Notify,
}
