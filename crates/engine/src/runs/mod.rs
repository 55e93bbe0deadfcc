//! The engine's parts, and starting runs in tasks of their own.

pub mod control;
pub mod suspects;

use std::{sync::Arc, time::Duration};

use clifford_content::memory::recall::Amounts;
use clifford_core::{
    budget::Budget,
    clock::SharedClock,
    id::{RunId, WorkerId},
    places::Mode,
    run::rules::Rules,
    runs::RunStatus,
};
use clifford_delivery::{Delivery, outbound::Outbound};
use clifford_store::{
    Db, StoreError,
    leases::takeover::Takeover,
    places::place_settings::PlaceSettings,
    runs::{self, Begun, Lease},
};
use clifford_telemetry::quarantine::{Careful, Isolation};
use clifford_tools::{Registry, Services};
use clifford_vault::Masker;
use dashmap::DashMap;
use tokio::sync::{Notify, Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::work::Work;
use crate::{
    models::{roles::Roles, sealed::Sealed},
    run::{events::Events, perform, unread},
};

/// How long to wait when the database is away.
const RETRY: Duration = Duration::from_secs(1);

/// How many of a context's messages a direct chat's prompt has.
const CHAT_TURNS: u32 = 40;

/// Settings of the engine that are not rules.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a lease lasts.
    pub lease: Duration,
    /// The most runs at work at once in this process.
    pub max_concurrent_runs: usize,
    /// The most subagents at work at once in one tree.
    pub max_parallel_subagents: usize,
    /// How many of a context's messages the model sees.
    pub conversation_limit: u32,
    /// What is remembered.
    pub memory: MemorySettings,
    /// How triggers come due.
    pub triggers: crate::triggers::Settings,
    /// Keep the whole prompt of each call.
    pub record_prompts: bool,
    /// How much may be spent on models.
    pub budgets: Vec<Budget>,
    /// How many deaths of the process make work suspected, and set it aside.
    pub deaths: clifford_core::quarantine::Limits,
}

impl Settings {
    /// How much of what was said comes into a prompt.
    pub const fn amounts(&self, mode: Mode) -> Amounts {
        Amounts {
            turns: match mode {
                Mode::Run => self.conversation_limit,
                Mode::Chat => CHAT_TURNS,
            },
            each: self.memory.cross_channel_limit,
        }
    }
}

/// What is remembered of people and conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySettings {
    /// What holds where nothing else is set for a place.
    pub defaults: PlaceSettings,
    /// Answered turns after which a conversation is compacted.
    pub max_turns: i64,
    /// The most messages that the memory writer reads at a time.
    pub writer_max_messages: u32,
    /// How long compacted messages are kept; zero: they are deleted at once.
    pub retain_compacted: Duration,
    /// How long the data of a space is kept after the bot left it.
    pub purge_left: Duration,
    /// The most messages of each other place in a private conversation's prompt.
    pub cross_channel_limit: u32,
    /// The most tokens of all of them.
    pub cross_channel_tokens: u32,
}

/// What runs are done with.
pub struct Engine {
    /// The database.
    pub db: Db,
    /// The clock.
    pub clock: SharedClock,
    /// This process.
    pub worker: WorkerId,
    /// When it may take over what others hold.
    pub takeover: Takeover,
    /// The rules' numbers.
    pub rules: Rules,
    /// Settings.
    pub settings: Settings,
    /// The models, by what they are asked for.
    pub roles: Arc<Roles>,
    /// The tools.
    pub tools: Arc<Registry>,
    /// What tools work with.
    pub services: Arc<Services>,
    /// Makes messages.
    pub outbound: Outbound,
    /// Delivers them.
    pub delivery: Delivery,
    /// Hides secrets.
    pub masker: Arc<Masker>,
    /// Seals what is stored of them.
    pub sealed: Arc<Sealed>,
    /// Tells those who watch.
    pub events: Events,
    /// Rung when there is work to claim, or a wake to wait for.
    pub bell: Arc<Notify>,
    /// Rung when there is a job to do.
    pub jobs_bell: Notify,
    /// Rung when what was reserved of a budget is settled.
    pub budget_bell: Notify,
    /// Told to stop: no new steps are begun.
    pub stop: CancellationToken,
    /// Every run's task.
    pub tasks: TaskTracker,
    /// Places for runs at work.
    pub places: Arc<Semaphore>,
    /// What is worked on alone, because processes died of it or beside it.
    pub isolation: Isolation,
    /// Whether events are stored one by one.
    pub careful: Arc<Careful>,
    /// By run and claim: told to stop because the run is somebody else's now.
    cancelled: DashMap<(RunId, i64), CancellationToken>,
}

/// What an engine is made of.
pub struct Parts {
    /// The database.
    pub db: Db,
    /// The clock.
    pub clock: SharedClock,
    /// This process.
    pub worker: WorkerId,
    /// The rules' numbers.
    pub rules: Rules,
    /// Settings.
    pub settings: Settings,
    /// The models, by what they are asked for.
    pub roles: Arc<Roles>,
    /// The tools.
    pub tools: Arc<Registry>,
    /// What tools work with.
    pub services: Arc<Services>,
    /// Makes messages.
    pub outbound: Outbound,
    /// Delivers them.
    pub delivery: Delivery,
    /// Hides secrets.
    pub masker: Arc<Masker>,
    /// Seals what is stored of them.
    pub sealed: Arc<Sealed>,
}

impl Engine {
    /// Puts an engine together.
    pub fn new(parts: Parts) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(parts.settings.max_concurrent_runs));
        let isolation = parts.delivery.isolation();
        Arc::new(Self {
            db: parts.db,
            takeover: Takeover::new(Arc::clone(&parts.clock), parts.worker, parts.settings.lease),
            clock: parts.clock,
            worker: parts.worker,
            rules: parts.rules,
            settings: parts.settings,
            roles: parts.roles,
            tools: parts.tools,
            bell: Arc::clone(&parts.services.bell),
            services: parts.services,
            outbound: parts.outbound,
            delivery: parts.delivery,
            masker: parts.masker,
            sealed: parts.sealed,
            events: Events::default(),
            jobs_bell: Notify::new(),
            budget_bell: Notify::new(),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            places,
            isolation,
            careful: Arc::default(),
            cancelled: DashMap::new(),
        })
    }

    /// Works on a run that this process holds, in a task of its own.
    pub fn start(self: &Arc<Self>, work: Work) {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            // Thousands may wait for a place: what each needs is read when it has one.
            return self.start_held(work.lease);
        };
        let held = self.hold(work.lease);
        self.tasks.spawn(async move {
            let _place = place;
            held.work_on(work).await;
        });
    }

    /// Works on a run that this process holds and that begins at a time that may move.
    pub fn start_later(self: &Arc<Self>, lease: Lease, mut at: clifford_core::clock::Timestamp) {
        let held = self.hold(lease);
        // What was waited for from now on counts, wherever the clock is put meanwhile.
        let mut now = self.clock.now();
        self.tasks.spawn(async move {
            let engine = &held.engine;
            loop {
                let wait = at.since(now);
                tokio::select! {
                    () = engine.stop.cancelled() => return,
                    () = tokio::time::sleep(wait) => {}
                }
                // Begun in one step, so that nothing joins its input after that was read.
                now = engine.clock.now().max(at);
                let begun = engine
                    .db
                    .write(move |tx| Box::pin(async move { runs::begin(tx, &lease, now).await }))
                    .await;
                match begun {
                    Ok(Begun::Now) => {
                        let engine = Arc::clone(engine);
                        // Else it would let go of what the next one holds.
                        drop(held);
                        return engine.start_held(lease);
                    }
                    Ok(Begun::NotBefore(later)) => at = later,
                    Ok(Begun::NotOurs) => return,
                    Err(error) => {
                        tracing::warn!(run = %lease.run, %error, "a run waits for the database");
                        at = now.after(RETRY);
                    }
                }
            }
        });
    }

    /// Works on a run that this process holds, and that must be read first.
    pub fn start_held(self: &Arc<Self>, lease: Lease) {
        let held = self.hold(lease);
        self.tasks.spawn(async move {
            // Never closed, so a place is always had in the end.
            let _place = Arc::clone(&held.engine.places).acquire_owned().await;
            held.engine.wait_for_suspects(lease).await;
            Box::pin(held.read_and_work_on()).await;
        });
    }

    /// From now on the task of this claim can be told to stop: before it has a place, too.
    pub(super) fn hold(self: &Arc<Self>, lease: Lease) -> Held {
        let cancelled = self.stop.child_token();
        self.cancelled.insert((lease.run, lease.epoch), cancelled.clone());
        Held {
            engine: Arc::clone(self),
            lease,
            cancelled,
        }
    }

    /// Reads all that belongs to a held run, and waits for the database if it is away: what is held and not
    /// worked on would be held for ever. `None`: this process stops.
    ///
    /// # Errors
    /// The run cannot be read.
    pub async fn load_patiently(&self, lease: Lease) -> Result<Option<Work>, StoreError> {
        loop {
            match self.load(lease).await {
                Ok(work) => return Ok(Some(work)),
                Err(error) if unread::is_unreadable(&error) => return Err(error),
                Err(error) => tracing::warn!(run = %lease.run, %error, "a run waits for the database"),
            }
            tokio::select! {
                () = self.stop.cancelled() => return Ok(None),
                () = tokio::time::sleep(RETRY) => {}
            }
        }
    }

    /// Reads all that belongs to a held run.
    ///
    /// # Errors
    /// The store's.
    pub async fn load(&self, lease: Lease) -> Result<Work, StoreError> {
        Work::load(&mut self.db.read().await?, lease).await
    }

    /// Whether a task of this process has this claim in hand.
    pub fn has_in_hand(&self, lease: &Lease) -> bool {
        self.cancelled.contains_key(&(lease.run, lease.epoch))
    }

    /// Tells the task of an earlier claim in this process, if there is one, that the run is not its any more.
    pub fn interrupt(&self, run: RunId, epoch: i64) {
        if let Some(token) = self.cancelled.get(&(run, epoch)) {
            token.cancel();
        }
    }

    /// Whether nobody goes on with a run that was let go of: it was cancelled, by whomever, and not claimed before.
    async fn is_given_up(&self, lease: &Lease) -> Result<bool, StoreError> {
        let run = runs::get(&mut self.db.read().await?, lease.run).await?;
        Ok(run.is_none_or(|run| run.status == RunStatus::Cancelled && run.epoch == lease.epoch + 1))
    }
}

/// A claim that a task works on or waits with.
pub(super) struct Held {
    pub engine: Arc<Engine>,
    pub(super) lease: Lease,
    pub(super) cancelled: CancellationToken,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.engine.cancelled.remove(&(self.lease.run, self.lease.epoch));
    }
}

impl Held {
    pub(super) async fn read_and_work_on(&self) {
        match self.engine.load_patiently(self.lease).await {
            // While it waited for its place it may have become somebody else's, or ended.
            Ok(Some(work)) if work.run.epoch == self.lease.epoch => self.work_on(work).await,
            Ok(_) => {}
            Err(error) => unread::end(&self.engine, self.lease, &error.to_string(), &self.cancelled).await,
        }
    }

    async fn work_on(&self, work: Work) {
        let engine = &self.engine;
        let run = work.run.id;
        let epoch = work.lease.epoch;
        let to = work.reply_to();
        if let Some(to) = &to {
            engine.delivery.busy(to, run, epoch);
        }
        let rest = Box::pin(perform::drive(engine, work, &self.cancelled)).await;
        if let (Some(to), perform::Rest::LetGo) = (&to, rest) {
            // If that cannot be read, whoever goes on finds the draft.
            if engine.is_given_up(&self.lease).await.unwrap_or(false) {
                engine.delivery.done(to, run, epoch);
            } else {
                engine.delivery.let_go(to, run, epoch);
            }
        }
    }
}
