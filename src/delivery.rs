//! Delivery: from the outbox to the platforms. One gate a chat: all that goes there passes it, in order.

mod gate;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use clifford_channel::{Address, Channel, Platform, Signal};
use dashmap::DashMap;
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::gate::{Gate, Item};
use crate::{
    clock::SharedClock,
    id::{ChannelId, RunId, WorkerId},
    outbound::{Ticket, To},
    store::{Db, StoreError, outbox},
};

/// The most messages claimed at once.
const BATCH: u32 = 200;

/// Settings of delivery.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Send again what may have arrived, where the platform cannot tell.
    pub resend_ambiguous: bool,
    /// The first wait after a failed attempt.
    pub backoff: Duration,
    /// The longest.
    pub longest_backoff: Duration,
    /// When a message that cannot be sent is given up.
    pub give_up_after: Duration,
    /// How long a lease lasts.
    pub lease: Duration,
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
    settings: Settings,
    channels: BTreeMap<Platform, Arc<dyn Channel>>,
    gates: DashMap<ChannelId, Handle>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// The way into a gate.
#[derive(Clone)]
struct Handle {
    items: mpsc::UnboundedSender<Item>,
    busy: Busy,
}

/// The runs that are at work for a chat, each with where it answers.
type Busy = Arc<Mutex<HashMap<RunId, Address>>>;

impl Delivery {
    /// Delivers through these channels.
    pub fn new(
        db: Db,
        clock: SharedClock,
        worker: WorkerId,
        settings: Settings,
        channels: BTreeMap<Platform, Arc<dyn Channel>>,
    ) -> Self {
        let inner = Inner {
            db,
            clock,
            worker,
            settings,
            channels,
            gates: DashMap::new(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Delivers a message that this process holds.
    pub fn deliver(&self, ticket: Ticket) {
        let Ok(platform) = ticket.message.platform.parse() else {
            return;
        };
        self.pass(
            platform,
            ticket.message.channel_id,
            Item::Message {
                ticket,
                recovered: false,
            },
        );
    }

    /// Shows what may be lost.
    pub fn signal(&self, to: &To, signal: Signal) {
        self.pass(to.platform, to.channel, Item::Signal(to.address.clone(), signal));
    }

    /// A run is at work for a chat: its indicator shows until [`Delivery::done`].
    pub fn busy(&self, to: &To, run: RunId) {
        if let Some(handle) = self.gate(to.platform, to.channel) {
            locked(&handle.busy).insert(run, to.address.clone());
            handle.items.send(Item::Busy).ok();
        }
    }

    /// A run is at work no more.
    pub fn done(&self, to: &To, run: RunId) {
        if let Some(handle) = self.gate(to.platform, to.channel) {
            locked(&handle.busy).remove(&run);
            handle.items.send(Item::Done(to.address.clone())).ok();
        }
    }

    /// Claims what nobody delivers: it waited for its time, or its process died.
    ///
    /// # Errors
    /// The store's.
    pub async fn claim(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        let now = inner.clock.now();
        let (worker, until) = (inner.worker, now.after(inner.settings.lease));
        let claimed = inner
            .db
            .write(move |tx| Box::pin(outbox::claim(tx, worker, now, until, BATCH)))
            .await?;
        for message in claimed {
            let parts = outbox::parts(&mut inner.db.read().await?, message.id).await?;
            let Ok(platform) = message.platform.parse::<Platform>() else {
                continue;
            };
            let channel = message.channel_id;
            let item = Item::Recovered { message, parts };
            self.pass(platform, channel, item);
        }
        Ok(())
    }

    fn pass(&self, platform: Platform, channel: ChannelId, item: Item) {
        if let Some(handle) = self.gate(platform, channel) {
            handle.items.send(item).ok();
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

    /// Sends what is in the gates until `deadline`, then stops. What is left stays in the outbox.
    pub async fn flush(&self, deadline: Duration) {
        self.inner.tasks.close();
        for gate in &self.inner.gates {
            gate.items.send(Item::Close).ok();
        }
        if tokio::time::timeout(deadline, self.inner.tasks.wait()).await.is_err() {
            self.inner.stop.cancel();
            self.inner.tasks.wait().await;
        }
    }
}

fn locked(busy: &Busy) -> std::sync::MutexGuard<'_, HashMap<RunId, Address>> {
    // A panic while the map was held cannot have left it half changed.
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}
