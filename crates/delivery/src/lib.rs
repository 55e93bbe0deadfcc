//! Delivery: from the outbox to the platforms. One gate a chat: all that goes there passes it, in order.
//!
//! [`outbound`] renders a text into messages and parts, which a run commits with its steps. [`Delivery`] hands them to
//! the chat's `gate`, which sends part after part and retries. `at_work` tells the gates what runs do meanwhile,
//! `recovery` takes over what other processes left behind, and [`receiver`] decides which process receives from a
//! platform. [`managers`] asks platforms who manages a place.

mod asides;
mod at_work;
mod attachments;
mod barred;
mod gate;
mod in_flight;
pub mod managers;
mod notice;
pub mod outbound;
pub mod receiver;
mod recovery;
mod rendering;
mod status_mark;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use clifford_channel::Channel;
use clifford_chat::{
    outbound::{Mark, Signal},
    platform::Platform,
};
use clifford_content::files::Files;
use clifford_core::{
    clock::{SharedClock, Timestamp},
    id::{ChannelId, MessageId, WorkerId},
    quarantine::Limits,
    settings::Delivery as Section,
};
use clifford_store::Db;
use clifford_telemetry::{quarantine::Isolation, spans::Origin};
use clifford_vault::Masker;
use dashmap::DashMap;
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::gate::StreamingText;
use self::{
    at_work::Busy,
    barred::Barred,
    gate::{Gate, Item},
    in_flight::InFlight,
};
use crate::outbound::{Outbound, PendingDelivery, To};

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
    /// The work that is isolated, because processes died of it or alongside it.
    isolation: Isolation,
    gates: DashMap<ChannelId, Handle>,
    /// The messages that are in a gate, or on the way to one.
    in_flight: InFlight,
    /// The chats where the bot may not write.
    barred: Barred,
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
                settings.section.resend_ambiguous,
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
            barred: Barred::default(),
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

    /// Whether a growing answer is shown where this goes.
    pub fn shows_drafts(&self, to: &To) -> bool {
        let channel = self.inner.channels.get(&to.platform);
        channel.is_some_and(|channel| channel.limits().draft_every.is_some())
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
