//! What delivery makes of a platform's answers, on a channel that answers as it is told.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use clifford::{
    clock::SystemClock,
    delivery::{Delivery, Settings},
    id::{MessageId, WorkerId},
    outbound::{Outbound, Ticket, To},
    store::{
        messages::{self, MessageStatus},
        outbox,
    },
};
use clifford_channel::{
    Address, Channel, ChannelError, DeliveryKey, Ingress, Limits, Part, Platform, Receipt, SendError, Signal,
};
use clifford_vault::Masker;
use tokio_util::sync::CancellationToken;

use crate::store::world::{Home, LEASE, NOW, World};

/// Refuses with these errors, then takes everything.
struct Told {
    errors: Mutex<VecDeque<SendError>>,
    keys: Mutex<Vec<DeliveryKey>>,
    drops_repeats: bool,
    /// What a signal is answered.
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
            draft_every: None,
        }
    }
}

#[async_trait]
impl Channel for Told {
    fn platform(&self) -> Platform {
        Platform::Telegram
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

/// A message that is to be sent, and what sends it.
struct Given {
    home: Home,
    delivery: Delivery,
    to: To,
    id: MessageId,
    ticket: Ticket,
}

impl Given {
    async fn to(channel: &Arc<Told>, resend_ambiguous: bool) -> Self {
        let home = Home::sqlite().await;
        let world = World::new(&home.db).await;
        let worker = WorkerId::new();
        let settings = Settings {
            resend_ambiguous,
            backoff: Duration::from_millis(1),
            longest_backoff: Duration::from_millis(1),
            give_up_after: Duration::from_secs(3600),
            lease: LEASE,
            deaths: clifford::quarantine::Limits::default(),
        };
        let serving: Arc<dyn Channel> = Arc::<Told>::clone(channel);
        let delivery = Delivery::new(
            home.db.clone(),
            Arc::new(SystemClock),
            worker,
            settings,
            BTreeMap::from([(Platform::Telegram, serving)]),
            Arc::default(),
        );
        let limits = BTreeMap::from([(Platform::Telegram, channel.limits())]);
        let outbound = Outbound::new(limits, 5, worker, LEASE, Arc::new(Masker::new([])));
        let to = To {
            platform: Platform::Telegram,
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
        let (message, ticket) = outbound.message(to.clone(), "hello", NOW);
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
            ticket: ticket.expect("this process serves the platform"),
        }
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
    given.delivery.deliver(given.ticket);
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
    given.delivery.deliver(given.ticket);
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
