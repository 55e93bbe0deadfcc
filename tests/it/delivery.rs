//! Delivery and a platform's answers, on a channel that answers as it is told.

mod by_itself;
mod cut;
mod untried;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{Channel, Ingress};
use clifford_chat::{
    error::{ChannelError, SendError},
    outbound::{Address, DeliveryKey, Limits, Part, Receipt, Signal},
    platform::Platform,
};
use clifford_content::files::Files;
use clifford_core::{
    clock::SystemClock,
    id::{MessageId, WorkerId},
    messages::MessageStatus,
    run::attachments::AttachedFile,
    settings::Delivery as Section,
};
use clifford_delivery::{
    Delivery, DeliverySettings,
    outbound::{Below, Outbound, PendingDelivery, To},
};
use clifford_store::{
    leases::ClaimWindow,
    messages::{self, outbox, queue_depth},
};
use tokio_util::sync::CancellationToken;

use crate::store::world::{Home, LEASE, NOW, World};

/// These files below a message.
const fn with(files: &[AttachedFile]) -> Below<'_> {
    Below {
        buttons: Vec::new(),
        files,
    }
}

/// Refuses with these errors, then takes everything.
struct Told {
    errors: Mutex<VecDeque<SendError>>,
    keys: Mutex<Vec<DeliveryKey>>,
    drops_repeats: bool,
    /// The answer to a signal.
    patience: Option<Duration>,
}

impl Told {
    fn limits(drops_repeats: bool) -> Limits {
        Limits {
            text_units: 4096,
            file_bytes: u64::MAX,
            flavor: clifford_markup::Flavor::Plain,
            drops_repeats,
            typing_every: None,
            delivered_when_stored: false,
            shows_progress: false,
            ..Limits::default()
        }
    }
}

#[async_trait]
impl Channel for Told {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Self::limits(self.drops_repeats)
    }

    async fn receive(&self, _: Arc<dyn Ingress>, _: CancellationToken) -> Result<(), ChannelError> {
        Ok(())
    }

    async fn send(&self, _: &Address, _: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        self.keys.lock().unwrap().push(key.clone());
        match self.errors.lock().unwrap().pop_front() {
            Some(error) => Err(error),
            None => Ok(Receipt { id: "1".to_owned() }),
        }
    }

    async fn signal(&self, _: &Address, _: &Signal) -> Result<(), SendError> {
        self.patience.map_or(Ok(()), |wait| Err(SendError::RetryAfter(wait)))
    }
}

/// The answer to a part with this text.
type Rule = dyn Fn(&str) -> Result<(), SendError> + Send + Sync;

/// Answers each part as a rule says, and keeps what it took.
struct Picky {
    rule: Box<Rule>,
    probes: Box<dyn Fn() -> Result<(), SendError> + Send + Sync>,
    took: tokio::sync::watch::Sender<Vec<String>>,
}

impl Picky {
    /// On a platform that works, but for what the rule says.
    fn new(rule: impl Fn(&str) -> Result<(), SendError> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            rule: Box::new(rule),
            probes: Box::new(|| Ok(())),
            took: tokio::sync::watch::Sender::default(),
        })
    }

    /// The parts that it took, once there are so many.
    async fn took(&self, count: usize) -> Vec<String> {
        let mut took = self.took.subscribe();
        let all = took.wait_for(|took| took.len() >= count);
        let all = tokio::time::timeout(Duration::from_secs(30), all).await;
        all.expect("in time").expect("the channel is there").clone()
    }
}

fn text(part: &Part) -> String {
    match part {
        Part::Text { plain, .. } => plain.clone(),
        Part::File { name, content, .. } => format!("{name}: {content}"),
        Part::Stored { name, .. } => name.clone(),
    }
}

#[async_trait]
impl Channel for Picky {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Told::limits(false)
    }

    async fn receive(&self, _: Arc<dyn Ingress>, _: CancellationToken) -> Result<(), ChannelError> {
        Ok(())
    }

    async fn send(&self, _: &Address, part: &Part, _: &DeliveryKey) -> Result<Receipt, SendError> {
        let text = text(part);
        (self.rule)(&text)?;
        self.took.send_modify(|took| took.push(text));
        Ok(Receipt { id: "1".to_owned() })
    }

    /// Says nothing of the platform: it was not asked.
    async fn signal(&self, _: &Address, _: &Signal) -> Result<(), SendError> {
        Ok(())
    }

    async fn probe(&self, _: &Address) -> Result<(), SendError> {
        (self.probes)()
    }
}

/// Hardly any patience.
const SECTION: Section = Section {
    resend_ambiguous: true,
    max_parts: 5,
    backoff: Duration::from_millis(1),
    max_backoff: Duration::from_millis(1),
    stuck_after: Duration::ZERO,
    give_up_after: Duration::from_secs(3600),
    progress_after: Duration::ZERO,
};
const SETTINGS: DeliverySettings = DeliverySettings {
    section: SECTION,
    lease: LEASE,
    deaths: clifford_core::quarantine::Limits {
        suspect_after: 2,
        quarantine_after: 3,
    },
};

/// A message that is to be sent, and what sends it.
struct Given {
    home: Home,
    delivery: Delivery,
    to: To,
    id: MessageId,
    pending: PendingDelivery,
    outbound: Outbound,
    worker: WorkerId,
}

impl Given {
    async fn to<C: Channel>(channel: &Arc<C>, resend_ambiguous: bool) -> Self {
        Self::stuck_after(channel, resend_ambiguous, Duration::from_secs(20)).await
    }

    async fn stuck_after<C: Channel>(channel: &Arc<C>, resend_ambiguous: bool, stuck_after: Duration) -> Self {
        let section = Section {
            resend_ambiguous,
            stuck_after,
            ..SECTION
        };
        let settings = DeliverySettings { section, ..SETTINGS };
        Self::on(Home::sqlite().await, channel, settings).await
    }

    async fn on<C: Channel>(home: Home, channel: &Arc<C>, settings: DeliverySettings) -> Self {
        Self::with_files(home, channel, settings, Arc::default()).await
    }

    async fn with_files<C: Channel>(
        home: Home,
        channel: &Arc<C>,
        settings: DeliverySettings,
        files: Arc<Files>,
    ) -> Self {
        let world = World::new(&home.db).await;
        let worker = WorkerId::new();
        let serving: Arc<dyn Channel> = Arc::<C>::clone(channel);
        let delivery = Delivery::new(
            home.db.clone(),
            Arc::new(SystemClock),
            worker,
            settings,
            BTreeMap::from([(Platform::new("telegram"), serving)]),
            files,
            Arc::default(),
        );
        let outbound = delivery.outbound().clone();
        let to = To {
            platform: Platform::new("telegram"),
            channel: world.channel.id,
            context: Some(world.context),
            user: Some(world.user.id),
            run: None,
            address: Address {
                place: "1".to_owned(),
                private: true,
                reply_to: None,
                via: None,
            },
        };
        let (message, pending) = outbound.message(to.clone(), "hello", NOW);
        let id = message.id;
        home.db
            .write(move |tx| Box::pin(async move { messages::insert_outbound(tx, &message, NOW).await }))
            .await
            .unwrap();
        Self {
            home,
            delivery,
            to,
            id,
            pending: pending.expect("this process serves the platform"),
            outbound,
            worker,
        }
    }

    /// Stores another message to the same chat, and hands it to delivery.
    async fn says(&self, text: &str) -> MessageId {
        self.stored(self.outbound.message(self.to.clone(), text, NOW)).await
    }

    /// The same for a message that was made.
    async fn stored(&self, (message, pending): (messages::NewOutbound, Option<PendingDelivery>)) -> MessageId {
        let id = message.id;
        self.home
            .db
            .write(move |tx| Box::pin(async move { messages::insert_outbound(tx, &message, NOW).await }))
            .await
            .unwrap();
        self.delivery
            .deliver(pending.expect("this process serves the platform"));
        id
    }

    /// Claims and sends until nothing is left in the outbox.
    async fn settled(&self) {
        let look = ClaimWindow::new(self.worker, NOW, LEASE);
        let empty = async {
            loop {
                self.delivery.claim(look).await.unwrap();
                let left = queue_depth::undelivered(&mut self.home.db.read().await.unwrap())
                    .await
                    .unwrap();
                if left.0 == 0 {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), empty)
            .await
            .expect("in time");
    }

    /// Waits until one message alone is left in the outbox.
    async fn settled_but(&self, id: MessageId) {
        let alone = async {
            while outbox::held(&mut self.home.db.read().await.unwrap(), self.worker)
                .await
                .unwrap()
                != [id]
            {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), alone)
            .await
            .expect("in time");
    }

    async fn message(home: &Home, id: MessageId) -> messages::Message {
        messages::get(&mut home.db.read().await.unwrap(), id)
            .await
            .unwrap()
            .unwrap()
    }
}

/// Sends a message; how often it was tried, how it ended and why.
async fn sent(error: SendError, drops_repeats: bool, resend_ambiguous: bool) -> (usize, MessageStatus, Option<String>) {
    let channel = Arc::new(Told {
        errors: Mutex::new([error].into()),
        keys: Mutex::default(),
        drops_repeats,
        patience: None,
    });
    let given = Given::to(&channel, resend_ambiguous).await;
    given.delivery.deliver(given.pending);
    let until = tokio::time::Instant::now() + Duration::from_secs(30);
    given.delivery.flush(until, until).await;
    let message = Given::message(&given.home, given.id).await;
    let keys = channel.keys.lock().unwrap();
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    (keys.len(), message.status, message.error)
}

#[tokio::test]
async fn only_what_may_have_arrived_is_given_up_for_fear_of_a_repeat() {
    let lost = || SendError::Unreachable("cut".to_owned());
    let not_sent = || SendError::NotSent("no connection".to_owned());
    let delivered = (2, MessageStatus::Delivered);
    for (error, drops_repeats, resend_ambiguous, expected) in [
        (lost(), false, true, delivered),
        (lost(), true, false, delivered),
        (lost(), false, false, (1, MessageStatus::Failed)),
        (not_sent(), false, false, delivered),
        (SendError::RetryAfter(Duration::from_millis(1)), false, false, delivered),
    ] {
        let case = format!("{error} drops_repeats={drops_repeats} resend_ambiguous={resend_ambiguous}");
        let (tries, status, why) = sent(error, drops_repeats, resend_ambiguous).await;
        assert_eq!((tries, status), expected, "{case}");
        if status == MessageStatus::Failed {
            assert_eq!(
                why.as_deref(),
                Some("it may have arrived; resend_ambiguous is off: cut"),
                "{case}"
            );
        }
    }
}

#[tokio::test]
async fn what_the_platform_asks_patience_for_is_left_at_a_stop_as_what_was_never_sent() {
    let channel = Arc::new(Told {
        errors: Mutex::default(),
        keys: Mutex::default(),
        drops_repeats: false,
        patience: Some(Duration::from_secs(3600)),
    });
    let given = Given::to(&channel, false).await;
    given.delivery.signal(&given.to, Signal::Typing);
    given.delivery.deliver(given.pending);
    let now = tokio::time::Instant::now();
    given.delivery.flush(now, now + Duration::from_secs(30)).await;
    assert!(
        channel.keys.lock().unwrap().is_empty(),
        "it was sent while the platform asked for patience"
    );
    let mut conn = given.home.db.read().await.unwrap();
    let parts = outbox::parts(&mut conn, given.id).await.unwrap();
    // Else the next start would take it for one that may have arrived, and give it up.
    assert_eq!(parts[0].status, MessageStatus::Pending);
    let message = Given::message(&given.home, given.id).await;
    assert!(
        matches!(message.status, MessageStatus::Pending | MessageStatus::Sending),
        "{message:?}"
    );
}

fn failed() -> Result<(), SendError> {
    Err(SendError::Failed("HTTP 500".to_owned()))
}

#[tokio::test]
async fn a_message_that_fails_by_itself_holds_up_nobody_and_arrives_when_it_can() {
    let healed = Arc::new(AtomicBool::new(false));
    let is_healed = Arc::clone(&healed);
    let channel = Picky::new(move |text| match text {
        "poison" if !is_healed.load(Ordering::SeqCst) => failed(),
        _ => Ok(()),
    });
    let given = Given::stuck_after(&channel, true, Duration::ZERO).await;
    given.delivery.deliver(given.pending.clone());
    let poison = given.says("poison").await;
    let after = given.says("after it").await;
    assert_eq!(channel.took(2).await, ["hello", "after it"]);
    // A part that was taken is marked a moment later.
    given.settled_but(poison).await;
    let late = given.delivery.late(Platform::new("telegram"));
    assert_eq!(late.len(), 1);
    assert_eq!(
        (late[0].channel, late[0].reason.as_str()),
        (given.to.channel, "HTTP 500")
    );
    // No other process waits for it either.
    let mut conn = given.home.db.read().await.unwrap();
    assert!(
        !outbox::has_older(&mut conn, given.to.channel, MessageId::new())
            .await
            .unwrap()
    );
    drop(conn);

    healed.store(true, Ordering::SeqCst);
    assert_eq!(channel.took(3).await, ["hello", "after it", "poison"]);
    let until = tokio::time::Instant::now() + Duration::from_secs(30);
    given.delivery.flush(until, until).await;
    for id in [poison, after] {
        let message = Given::message(&given.home, id).await;
        assert_eq!(message.status, MessageStatus::Delivered, "{message:?}");
    }
    assert_eq!(given.delivery.late(Platform::new("telegram")), []);
}

#[tokio::test]
async fn an_outage_of_the_platform_keeps_the_order() {
    let tries = Arc::new(AtomicUsize::new(0));
    let (of_sends, of_probes) = (Arc::clone(&tries), Arc::clone(&tries));
    // Everything fails, until it has failed 20 times.
    let channel = Arc::new(Picky {
        rule: Box::new(move |_| match of_sends.fetch_add(1, Ordering::SeqCst) {
            ..20 => failed(),
            _ => Ok(()),
        }),
        probes: Box::new(move || match of_probes.fetch_add(1, Ordering::SeqCst) {
            ..20 => failed(),
            _ => Ok(()),
        }),
        took: tokio::sync::watch::Sender::default(),
    });
    let given = Given::stuck_after(&channel, true, Duration::ZERO).await;
    for text in ["one", "two", "three"] {
        given.says(text).await;
    }
    assert_eq!(channel.took(3).await, ["one", "two", "three"]);
}

#[tokio::test]
async fn what_the_platform_refuses_as_a_text_goes_as_a_file_and_else_its_chat_is_told() {
    let sorry =
        "Sorry, I could not send my answer here: it was refused. Please ask again, or ask for a shorter answer.";
    let refused = || Err(SendError::Rejected("Bad Request: message is too long".to_owned()));
    type IsRefused = fn(&str) -> bool;
    let cases: [(IsRefused, &[&str], MessageStatus); 3] = [
        (
            |text| text == "long",
            &["hello", "answer.md: long"],
            MessageStatus::Delivered,
        ),
        (|text| text.contains("long"), &["hello", sorry], MessageStatus::Failed),
        // Where nothing at all can be said, nothing is said again and again.
        (|_| true, &[], MessageStatus::Failed),
    ];
    for (is_refused, expected, status) in cases {
        let channel = Picky::new(move |text| if is_refused(text) { refused() } else { Ok(()) });
        let given = Given::to(&channel, true).await;
        given.delivery.deliver(given.pending.clone());
        let id = given.says("long").await;
        given.settled().await;
        assert_eq!(*channel.took.borrow(), expected);
        let until = tokio::time::Instant::now() + Duration::from_secs(30);
        given.delivery.flush(until, until).await;
        assert_eq!(Given::message(&given.home, id).await.status, status);
    }
}
