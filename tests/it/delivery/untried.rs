//! Messages that a process holds when it stops, and has not tried: the next one sends them, though nothing is to be sent
//! twice.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use clifford_channel::Channel;
use clifford_chat::{error::SendError, platform::Platform};
use clifford_core::{clock::SystemClock, id::WorkerId, messages::MessageStatus, settings::Delivery as Section};
use clifford_delivery::{Delivery, DeliverySettings};
use clifford_store::{
    leases::ClaimWindow,
    messages::{outbox, queue_depth},
};

use super::{Given, LEASE, NOW, SECTION, SETTINGS, Told};

#[tokio::test]
async fn what_was_not_tried_when_a_process_stops_is_left_as_that() {
    let channel = Arc::new(Told {
        errors: Mutex::new(VecDeque::from([SendError::RetryAfter(Duration::from_secs(3600))])),
        keys: Mutex::default(),
        drops_repeats: false,
        patience: None,
    });
    let given = Given::to(&channel, false).await;
    given.delivery.deliver(given.pending.clone());
    let is_tried = async {
        while channel.keys.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), is_tried)
        .await
        .expect("in time");
    let behind = given.says("again").await;
    let now = tokio::time::Instant::now();
    given.delivery.flush(now, now + Duration::from_secs(30)).await;
    for id in [given.id, behind] {
        let parts = outbox::parts(&mut given.home.db.read().await.unwrap(), id).await;
        let statuses: Vec<_> = parts.unwrap().into_iter().map(|part| part.status).collect();
        assert_eq!(statuses, [MessageStatus::Pending]);
    }
    // The next process sends both, though nothing is to be sent twice.
    let next = Arc::new(Told {
        errors: Mutex::default(),
        keys: Mutex::default(),
        drops_repeats: false,
        patience: None,
    });
    let serving: Arc<dyn Channel> = Arc::<Told>::clone(&next);
    let section = Section {
        resend_ambiguous: false,
        ..SECTION
    };
    let worker = WorkerId::new();
    let delivery = Delivery::new(
        given.home.db.clone(),
        Arc::new(SystemClock),
        worker,
        DeliverySettings { section, ..SETTINGS },
        BTreeMap::from([(Platform::new("telegram"), serving)]),
        Arc::default(),
        Arc::default(),
    );
    let late = NOW.after(LEASE * 2);
    delivery.claim(ClaimWindow::new(worker, late, LEASE)).await.unwrap();
    let is_sent = async {
        while queue_depth::undelivered(&mut given.home.db.read().await.unwrap())
            .await
            .unwrap()
            .0
            > 0
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), is_sent)
        .await
        .expect("in time");
    for id in [given.id, behind] {
        let message = Given::message(&given.home, id).await;
        assert_eq!((message.status, message.error), (MessageStatus::Delivered, None));
    }
    assert_eq!(next.keys.lock().unwrap().len(), 2);
}
