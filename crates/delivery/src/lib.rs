//! Delivery: from the outbox to the platforms. One gate a chat: all that goes there passes it, in order.

mod asides;
mod attachments;
mod gate;
mod in_flight;
mod notice;
pub mod outbound;
pub mod receiver;
mod rendering;
mod status_mark;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use clifford_channel::Channel;
use clifford_chat::{
    outbound::{Address, DeliveryKey, Mark, Signal},
    platform::Platform,
};
use clifford_content::files::Files;
use clifford_core::{
    clock::{SharedClock, Timestamp},
    id::{ChannelId, MessageId, RunId, WorkerId},
    quarantine::{Limits, Verdict},
    settings::Delivery as Section,
};
use clifford_store::{
    Db, StoreError,
    leases::ClaimWindow,
    messages::{
        outbox::{self, Outgoing},
        status_messages,
    },
};
use clifford_telemetry::{quarantine::Isolation, spans::Origin};
use clifford_text::{Doing, Lang};
use clifford_vault::Masker;
use dashmap::DashMap;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::gate::StreamingText;
use self::{
    gate::{Gate, Item},
    in_flight::InFlight,
};
use crate::outbound::{Outbound, PendingDelivery, To};

/// The most messages claimed at once.
const BATCH: u32 = 200;
/// How often status messages are looked for that were left behind.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// Settings of delivery.
#[derive(Clone, Copy, Debug)]
pub struct DeliverySettings {
    /// `[delivery]`.
    pub section: Section,
    /// How long a lease lasts.
    pub lease: Duration,
    /// How many deaths of the process make a message suspected, and set it aside.
    pub deaths: Limits,
}

/// Delivers. Cheap to clone.
#[derive(Clone)]
pub struct Delivery {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    clock: SharedClock,
    worker: WorkerId,
    settings: DeliverySettings,
    channels: BTreeMap<Platform, Arc<dyn Channel>>,
    /// Makes the messages that go there.
    outbound: Outbound,
    files: Arc<Files>,
    /// The work that is isolated, because processes died of it or beside it.
    isolation: Isolation,
    gates: DashMap<ChannelId, Handle>,
    /// The messages that are in a gate, or on the way to one.
    in_flight: InFlight,
    /// The messages that are set aside.
    late: DashMap<MessageId, LateMessage>,
    /// When status messages that were left behind were looked for last.
    looked: Mutex<Option<Instant>>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// A message that fails by itself, while its platform takes others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateMessage {
    /// Its platform.
    pub platform: Platform,
    /// Its chat.
    pub channel: ChannelId,
    /// The platform's id of the chat.
    pub place: String,
    /// Since when it is late.
    pub since: Timestamp,
    /// The platform's last error.
    pub reason: String,
}

/// The way into a gate.
#[derive(Clone)]
struct Handle {
    items: mpsc::UnboundedSender<Item>,
    busy: Busy,
}

/// The runs that are at work for a chat.
type Busy = Arc<Mutex<HashMap<RunId, AtWork>>>;

/// A run at work for a chat.
struct AtWork {
    /// The claim that is.
    epoch: i64,
    /// Where it answers.
    address: Address,
    /// Since when it is.
    since: Instant,
    /// Its present work, as Markdown; until it has done something, it thinks.
    doing: Option<String>,
    /// The language in which its person reads that.
    lang: Lang,
    /// Its answer as far as it has come, until that is shown: the key of its first part, and Markdown.
    draft: Option<(DeliveryKey, StreamingText)>,
}

impl AtWork {
    /// Its present work, as Markdown.
    fn doing(&self) -> String {
        let doing = self.doing.clone();
        doing.unwrap_or_else(|| self.lang.say(Doing::Thinking))
    }
}

impl Delivery {
    /// Delivers through these channels, and makes the messages for them; files that go along are read when they are
    /// sent.
    pub fn new(
        db: Db,
        clock: SharedClock,
        worker: WorkerId,
        settings: DeliverySettings,
        channels: BTreeMap<Platform, Arc<dyn Channel>>,
        files: Arc<Files>,
        masker: Arc<Masker>,
    ) -> Self {
        let inner = Inner {
            outbound: Outbound::new(
                channels.clone(),
                settings.section.max_parts,
                worker,
                settings.lease,
                masker,
            ),
            db,
            clock,
            worker,
            settings,
            channels,
            files,
            isolation: Isolation::default(),
            gates: DashMap::new(),
            in_flight: InFlight::default(),
            late: DashMap::new(),
            looked: Mutex::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Delivers a message that this process holds.
    pub fn deliver(&self, pending: PendingDelivery) {
        let Ok(platform) = pending.message.platform.parse() else {
            return;
        };
        let taken = self.inner.in_flight.take(pending.message.id);
        self.pass(
            platform,
            pending.message.channel_id,
            Item::Message {
                pending,
                recovered: false,
                origin: Origin::here(),
                taken,
            },
        );
    }

    /// Shows what may be lost.
    pub fn signal(&self, to: &To, signal: Signal) {
        self.pass(to.platform, to.channel, Item::Signal(to.address.clone(), signal));
    }

    /// Marks the message that is answered, where the platform marks messages.
    pub fn mark(&self, to: &To, mark: Mark) {
        let channel = self.inner.channels.get(&to.platform);
        if channel.is_some_and(|channel| channel.limits().marks) {
            self.signal(to, Signal::Mark(mark));
        }
    }

    /// A claim of a run is at work for a chat: its indicator shows until [`Delivery::done`].
    pub fn busy(&self, to: &To, run: RunId, epoch: i64) {
        if let Some(handle) = self.gate(to.platform, to.channel) {
            let mut busy = locked(&handle.busy);
            // It may have waited for its turn.
            let known = busy.get(&run).filter(|known| known.epoch == epoch);
            let at_work = AtWork {
                epoch,
                address: to.address.clone(),
                since: known.map_or_else(Instant::now, |known| known.since),
                doing: None,
                lang: known.map_or_else(Lang::default, |known| known.lang),
                draft: None,
            };
            busy.insert(run, at_work);
        }
        self.pass(to.platform, to.channel, Item::Busy);
    }

    /// Whether a growing answer is shown where this goes.
    pub fn shows_drafts(&self, to: &To) -> bool {
        let channel = self.inner.channels.get(&to.platform);
        channel.is_some_and(|channel| channel.limits().draft_every.is_some())
    }

    /// The language in which a run's person reads what it does.
    pub fn speaks(&self, channel: ChannelId, run: RunId, epoch: i64, lang: Lang) {
        if let Some(handle) = self.inner.gates.get(&channel) {
            let mut busy = locked(&handle.busy);
            if let Some(at_work) = busy.get_mut(&run).filter(|at_work| at_work.epoch == epoch) {
                at_work.lang = lang;
            }
        }
    }

    /// The present work of a run, as Markdown: its status message says it when its turn comes, while this claim is at
    /// work.
    pub fn doing(&self, channel: ChannelId, run: RunId, epoch: i64, doing: String) {
        let Some(handle) = self.inner.gates.get(&channel) else {
            return;
        };
        let mut busy = locked(&handle.busy);
        if let Some(at_work) = busy.get_mut(&run).filter(|at_work| at_work.epoch == epoch) {
            at_work.doing = Some(doing);
            if at_work.since.elapsed() >= self.inner.settings.section.progress_after {
                // A gate that has just closed has no run at work.
                handle.items.send(Item::Doing).ok();
            }
        }
    }

    /// The answer of a run has grown. It is shown when its turn comes, if it has not grown again by then, and only
    /// while this claim is at work.
    pub fn draft(&self, channel: ChannelId, run: RunId, epoch: i64, key: &DeliveryKey, text: &StreamingText) {
        let Some(handle) = self.inner.gates.get(&channel) else {
            return;
        };
        let mut busy = locked(&handle.busy);
        let Some(at_work) = busy.get_mut(&run).filter(|at_work| at_work.epoch == epoch) else {
            return;
        };
        if at_work.draft.replace((key.clone(), text.clone())).is_none() {
            // A gate that has just closed has no run at work.
            handle.items.send(Item::Draft).ok();
        }
    }

    /// A claim of a run is no longer at work: the run ended or waits. A later claim may be at work. The run may have
    /// been ended from elsewhere in the chat (`to`): the place that it answered is notified.
    pub fn done(&self, to: &To, run: RunId, epoch: i64) {
        self.rest(to, run, epoch, true);
    }

    /// The same for a released claim: the next holder of the run continues its draft.
    pub fn release(&self, to: &To, run: RunId, epoch: i64) {
        self.rest(to, run, epoch, false);
    }

    fn rest(&self, to: &To, run: RunId, epoch: i64, drops_draft: bool) {
        let known = self.gate(to.platform, to.channel).and_then(|handle| {
            let mut busy = locked(&handle.busy);
            let is_over = busy.get(&run).is_some_and(|at_work| at_work.epoch <= epoch);
            if is_over { busy.remove(&run) } else { None }
        });
        let ends = drops_draft && known.is_some();
        let (epoch, address) = match known {
            Some(at_work) => (at_work.epoch, at_work.address),
            None => (epoch, to.address.clone()),
        };
        let item = Item::Done {
            run,
            epoch,
            address,
            ends,
        };
        self.pass(to.platform, to.channel, item);
    }

    /// A run was cancelled, wherever it answered.
    pub fn cancelled(&self, run: RunId) {
        for gate in &self.inner.gates {
            if let Some(at_work) = locked(&gate.busy).remove(&run) {
                // Platforms without marks pass over it.
                let mark = Item::Signal(at_work.address.clone(), Signal::Mark(Mark::Failed));
                gate.items.send(mark).ok();
                // A gate that has just closed had no run at work.
                let item = Item::Done {
                    run,
                    epoch: at_work.epoch,
                    address: at_work.address,
                    ends: true,
                };
                gate.items.send(item).ok();
            }
        }
    }

    /// Takes away the status messages that processes have left behind. It looks for them now and then.
    pub async fn take_away_status_messages(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        let is_time = {
            let mut looked = inner.looked.lock().unwrap_or_else(PoisonError::into_inner);
            let is_time = looked.is_none_or(|at| at.elapsed() >= LOOK_EVERY);
            if is_time {
                *looked = Some(Instant::now());
            }
            is_time
        };
        if !is_time {
            return Ok(());
        }
        let now = inner.clock.now();
        // No other process can be about to make an answer of one.
        let after = if inner.db.is_shared() {
            inner.settings.lease
        } else {
            Duration::ZERO
        };
        let mut conn = inner.db.read().await?;
        let left = status_messages::left_behind(&mut conn, inner.worker, &self.served(), (now, after), BATCH).await?;
        drop(conn);
        for message in left {
            if let Ok(platform) = message.platform.parse() {
                self.pass(platform, message.channel_id, Item::LeftBehind(message));
            }
        }
        Ok(())
    }

    /// Claims what nobody delivers: it waited for its time, or its process died. Returns what is to be set aside, because
    /// too many died of it.
    pub async fn claim(&self, window: ClaimWindow) -> Result<Vec<Outgoing>, StoreError> {
        let inner = &self.inner;
        let served = self.served();
        let claimed = inner
            .db
            .write(move |tx| Box::pin(async move { outbox::claim(tx, window, &served, BATCH).await }))
            .await?;
        let mut guilty = Vec::new();
        for (message, parts) in claimed {
            if inner.settings.deaths.verdict(message.evidence()) == Verdict::Guilty {
                guilty.push(message);
                continue;
            }
            let Ok(platform) = message.platform.parse::<Platform>() else {
                continue;
            };
            let channel = message.channel_id;
            let taken = inner.in_flight.take(message.id);
            let item = Item::Recovered { message, parts, taken };
            self.pass(platform, channel, item);
        }
        Ok(guilty)
    }

    /// Makes messages for these channels.
    pub fn outbound(&self) -> &Outbound {
        &self.inner.outbound
    }

    /// The isolation of this process's work.
    pub fn isolation(&self) -> Isolation {
        self.inner.isolation.clone()
    }

    /// The messages of a platform that this process has set aside, the oldest first.
    pub fn late(&self, platform: Platform) -> Vec<LateMessage> {
        let mut late: Vec<_> = (self.inner.late.iter())
            .filter(|late| late.platform == platform)
            .map(|late| late.value().clone())
            .collect();
        late.sort_by_key(|late| late.since);
        late
    }

    /// Whether a message is on its way out of this process.
    pub fn is_in_flight(&self, message: MessageId) -> bool {
        self.inner.in_flight.has(message)
    }

    /// The platforms that this process can send to now.
    pub fn served(&self) -> Vec<Platform> {
        let attended = self.inner.channels.iter().filter(|(_, channel)| channel.is_attended());
        attended.map(|(platform, _)| *platform).collect()
    }

    fn pass(&self, platform: Platform, channel: ChannelId, mut item: Item) {
        while let Some(handle) = self.gate(platform, channel) {
            match handle.items.send(item) {
                Ok(()) => return,
                // The gate closed in this moment, because nothing went through it for a while: take a new one.
                Err(mpsc::error::SendError(returned)) => item = returned,
            }
            self.inner
                .gates
                .remove_if(&channel, |_, gate| gate.items.same_channel(&handle.items));
        }
    }

    /// The gate of a chat; a new one if it has none. `None`: this process does not serve the platform.
    fn gate(&self, platform: Platform, id: ChannelId) -> Option<Handle> {
        let channel = self.inner.channels.get(&platform)?;
        let handle = self.inner.gates.entry(id).or_insert_with(|| {
            let (items, queue) = mpsc::unbounded_channel();
            let busy = Busy::default();
            let gate = Gate::new(
                Arc::clone(&self.inner),
                Arc::clone(channel),
                id,
                queue,
                Arc::clone(&busy),
            );
            self.inner.tasks.spawn(gate.run());
            Handle { items, busy }
        });
        Some(handle.clone())
    }

    /// Sends the messages in the gates until `send`, then stops, and waits until `sent` for the calls that are under
    /// way. The rest stays in the outbox.
    pub async fn flush(&self, send: Instant, sent: Instant) {
        self.inner.tasks.close();
        for gate in &self.inner.gates {
            gate.items.send(Item::Close).ok();
        }
        if timeout_at(send, self.inner.tasks.wait()).await.is_err() {
            self.inner.stop.cancel();
            // A gate may be in the middle of a call; what it sends is marked, or is ambiguous, as after a crash.
            timeout_at(sent, self.inner.tasks.wait()).await.ok();
        }
    }
}

fn locked(busy: &Busy) -> std::sync::MutexGuard<'_, HashMap<RunId, AtWork>> {
    // A panic while the map was held cannot have left it half changed.
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}
