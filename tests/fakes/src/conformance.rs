//! The behavior of every adapter on any platform: the kit that the tests of each run over it.
//!
//! A platform's tests say how a person speaks there and what they see ([`Site`]); the kit has events refused and taken
//! late, parts sent twice and receiving stopped, and asserts what `docs/ADDING-A-CHANNEL.md` promises of that. Behavior
//! of one platform alone is tested with that platform.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{
    Accepted, Address, Channel, ChannelError, Choice, Completion, ConnectionStatus, DeliveryKey, Inbound, Ingress,
    IngressError, Part, Platform, SendError, Served, Signal,
};
use tokio::{sync::watch, task::JoinHandle, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long anything may take before a check gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A fake of a platform, in which one person has a private chat with the bot.
#[async_trait]
pub trait Site: Send + Sync {
    /// A new adapter that is connected to it, as after a restart of the process.
    fn adapter(&self) -> Arc<dyn Channel>;
    /// The person writes.
    async fn says(&self, text: &str);
    /// Where the person is answered.
    fn address(&self) -> Address;
    /// The texts that the person got.
    fn received(&self) -> Vec<String>;
    /// How many of the person's messages the platform would hand out again; `None`: it never does.
    fn unconfirmed(&self) -> Option<usize>;
    /// Acts of the adapter that the platform does not let it do.
    fn violations(&self) -> Vec<String>;
}

/// Runs the whole kit over a platform.
///
/// # Panics
/// The adapter does not do what it must.
pub async fn conforms(site: &dyn Site) {
    events_come_in_order_with_their_place(site).await;
    what_is_not_stored_is_handed_in_again(site).await;
    what_was_stored_is_not_handed_in_again(site).await;
    a_stop_ends_receiving_while_nothing_can_be_stored(site).await;
    a_part_arrives_and_its_repeat_as_the_limits_say(site).await;
    the_longest_text_fits(site).await;
    signals_are_taken(site).await;
    assert_eq!(site.violations(), Vec::<String>::new());
}

async fn events_come_in_order_with_their_place(site: &dyn Site) {
    let (ingress, adapter) = (Memory::new(), site.adapter());
    let platform = adapter.platform();
    assert_eq!(platform.as_str().parse(), Ok(platform), "its name is one");
    let running = Running::start(adapter, &ingress);
    ingress.until("it is connected", Memory::is_connected).await;
    for text in ["one", "two", "three"] {
        site.says(text).await;
    }
    assert_eq!(ingress.texts(3).await, ["one", "two", "three"]);
    for event in ingress.lock().taken.iter() {
        assert_eq!(event.platform(), platform);
        if let Inbound::Message(message) = event {
            assert_eq!(message.place.external_id, site.address().place);
            assert!(message.place.kind.is_private());
        }
    }
    assert!(
        ingress.lock().told.iter().all(|of| *of == platform),
        "its connection is its own"
    );
    running.stop().await;
    assert_eq!(site.unconfirmed().unwrap_or_default(), 0, "all was confirmed");
}

async fn what_is_not_stored_is_handed_in_again(site: &dyn Site) {
    let ingress = Memory::new();
    ingress.refuse(2);
    let running = Running::start(site.adapter(), &ingress);
    ingress.until("it is connected", Memory::is_connected).await;
    site.says("four").await;
    site.says("five").await;
    assert_eq!(
        ingress.texts(2).await,
        ["four", "five"],
        "in order, none twice, none lost"
    );
    running.stop().await;
}

async fn what_was_stored_is_not_handed_in_again(site: &dyn Site) {
    let ingress = Memory::new();
    let running = Running::start(site.adapter(), &ingress);
    ingress.until("it is connected", Memory::is_connected).await;
    site.says("six").await;
    assert_eq!(ingress.texts(1).await, ["six"]);
    running.stop().await;
}

async fn a_stop_ends_receiving_while_nothing_can_be_stored(site: &dyn Site) {
    let ingress = Memory::new();
    let running = Running::start(site.adapter(), &ingress);
    ingress.until("it is connected", Memory::is_connected).await;
    ingress.refuse(usize::MAX);
    site.says("seven").await;
    ingress
        .until("it is handed in", |memory| memory.lock().refused > 0)
        .await;
    running.stop().await;
    assert_eq!(ingress.lock().taken, Vec::new());
    if let Some(unconfirmed) = site.unconfirmed() {
        assert_eq!(unconfirmed, 1, "what was not stored is not confirmed");
        let ingress = Memory::new();
        let running = Running::start(site.adapter(), &ingress);
        assert_eq!(ingress.texts(1).await, ["seven"], "and comes again");
        running.stop().await;
    }
}

async fn a_part_arrives_and_its_repeat_as_the_limits_say(site: &dyn Site) {
    let adapter = site.adapter();
    let before = site.received().len();
    for _ in 0..2 {
        send(&*adapter, site, "the same", "key-of-a-repeat").await;
    }
    let times = if adapter.limits().drops_repeats { 1 } else { 2 };
    assert_eq!(site.received()[before..], vec!["the same"; times]);
}

async fn the_longest_text_fits(site: &dyn Site) {
    let adapter = site.adapter();
    let before = site.received().len();
    let text = "x".repeat(adapter.limits().text_units.min(5_000));
    send(&*adapter, site, &text, "key-of-the-longest").await;
    assert_eq!(site.received()[before..], [text]);
}

async fn signals_are_taken(site: &dyn Site) {
    let (adapter, to) = (site.adapter(), site.address());
    for signal in [Signal::Typing, Signal::Done] {
        let taken = adapter.signal(&to, &signal).await;
        assert!(taken.is_ok(), "{signal:?}: {taken:?}");
    }
    let probed = adapter.probe(&to).await;
    assert!(probed.is_ok(), "{probed:?}");
}

/// Sends a text as delivery does: it waits as long as the platform asks for.
async fn send(adapter: &dyn Channel, site: &dyn Site, text: &str, key: &str) {
    let part = Part::Text {
        text: text.to_owned(),
        plain: text.to_owned(),
        rich: None,
        buttons: Vec::new(),
    };
    let (to, key) = (site.address(), DeliveryKey(key.to_owned()));
    loop {
        match adapter.send(&to, &part, &key).await {
            Ok(_) => return,
            Err(SendError::RetryAfter(wait)) => tokio::time::sleep(wait).await,
            Err(error) => panic!("{error}"),
        }
    }
}

/// An adapter that receives.
struct Running {
    stop: CancellationToken,
    task: JoinHandle<Result<(), ChannelError>>,
}

impl Running {
    fn start(adapter: Arc<dyn Channel>, ingress: &Arc<Memory>) -> Self {
        let stop = CancellationToken::new();
        let (ingress, token) = (Arc::clone(ingress), stop.clone());
        let task = TaskTracker::new().spawn(async move { adapter.receive(ingress, token).await });
        Self { stop, task }
    }

    #[expect(clippy::expect_used, reason = "what an adapter does not do is its test's failure")]
    async fn stop(self) {
        self.stop.cancel();
        let ended = timeout(PATIENCE, self.task).await.expect("receiving did not end");
        ended.expect("receiving did not panic").expect("it ended in order");
    }
}

/// An ingress that keeps everything, and can refuse.
#[derive(Default)]
struct Memory {
    kept: Mutex<Kept>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Kept {
    taken: Vec<Inbound>,
    refuse: usize,
    refused: usize,
    connected: bool,
    /// The platforms whose connection was told of.
    told: Vec<Platform>,
}

impl Memory {
    fn new() -> Arc<Self> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses the next events.
    fn refuse(&self, count: usize) {
        self.lock().refuse = count;
    }

    fn is_connected(&self) -> bool {
        self.lock().connected
    }

    /// The texts that were taken, once there are so many.
    async fn texts(&self, count: usize) -> Vec<String> {
        self.until("the messages", |memory| memory.lock().taken.len() >= count)
            .await;
        let kept = self.lock();
        let text = |event: &Inbound| match event {
            Inbound::Message(message) => message.text.clone(),
            other => format!("{other:?}"),
        };
        kept.taken.iter().map(text).collect()
    }

    #[expect(clippy::expect_used, reason = "the sender is its own")]
    async fn until(&self, what: &str, happened: impl Fn(&Self) -> bool) {
        let mut changed = self.changed.subscribe();
        let waiting = async {
            while !happened(self) {
                changed.changed().await.expect("it is there");
            }
        };
        let waited = timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "waited in vain: {what}: {:?}", self.lock());
    }
}

#[async_trait]
impl Ingress for Memory {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        let outcome = {
            let mut kept = self.lock();
            if kept.refuse > 0 {
                kept.refuse -= 1;
                kept.refused += 1;
                Err(IngressError::Unavailable("the disk is full".to_owned()))
            } else {
                kept.taken.push(event);
                Ok(Accepted::Stored)
            }
        };
        self.changed.send_replace(());
        outcome
    }

    async fn complete(&self, _: Completion) -> Result<Vec<Choice>, IngressError> {
        Ok(Vec::new())
    }

    async fn served(&self, _: Platform, _: Duration) -> Result<Vec<Served>, IngressError> {
        Ok(Vec::new())
    }

    fn status(&self, platform: Platform, status: ConnectionStatus) {
        {
            let mut kept = self.lock();
            kept.connected = !matches!(status, ConnectionStatus::Disconnected(_));
            kept.told.push(platform);
        }
        self.changed.send_replace(());
    }
}
