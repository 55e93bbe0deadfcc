//! An adapter with a bug: it is a connection that is lost, told so, and made again.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use clifford_channel::{Channel, Ingress};
use clifford_chat::{
    completion::{Choice, Completion},
    error::{ChannelError, IngressError, SendError},
    inbound::{Accepted, ConnectionStatus, Inbound, Served},
    outbound::{Address, DeliveryKey, Limits, Part, Receipt, Signal},
    platform::Platform,
};
use clifford_core::{clock::SystemClock, id::WorkerId};
use clifford_delivery::receiver::Receiver;
use clifford_store::leases::clock_guard::ClockGuard;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::store::world::{Home, LEASE};

/// Is connected, then panics; the third time it goes on.
struct Buggy(AtomicU32);

#[async_trait]
impl Channel for Buggy {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: 4096,
            file_bytes: u64::MAX,
            flavor: clifford_markup::Flavor::Plain,
            drops_repeats: false,
            typing_every: None,
            delivered_when_stored: false,
            shows_progress: false,
            ..Limits::default()
        }
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        let time = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        ingress.status(
            Platform::new("telegram"),
            ConnectionStatus::Connected(format!("the {time}.")),
        );
        assert!(time > 2, "a bug in the adapter");
        stop.cancelled().await;
        Ok(())
    }

    async fn send(&self, _: &Address, _: &Part, _: &DeliveryKey) -> Result<Receipt, SendError> {
        Err(SendError::NotSent("it only receives".to_owned()))
    }

    async fn signal(&self, _: &Address, _: &Signal) -> Result<(), SendError> {
        Ok(())
    }
}

/// Hears what is told of connections.
#[derive(Default)]
struct Heard {
    told: Mutex<Vec<ConnectionStatus>>,
    notify: Notify,
}

#[async_trait]
impl Ingress for Heard {
    async fn accept(&self, _: Inbound) -> Result<Accepted, IngressError> {
        Ok(Accepted::Ignored)
    }

    async fn complete(&self, _: Completion) -> Result<Vec<Choice>, IngressError> {
        Ok(Vec::new())
    }

    async fn served(&self, _: Platform, _: std::time::Duration) -> Result<Vec<Served>, IngressError> {
        Ok(Vec::new())
    }

    fn status(&self, _: Platform, status: ConnectionStatus) {
        self.told.lock().unwrap().push(status);
        self.notify.notify_one();
    }
}

#[tokio::test]
async fn a_panic_while_receiving_is_a_lost_connection_that_is_made_again() {
    let home = Home::sqlite().await;
    let heard = Arc::new(Heard::default());
    let receiver = Receiver {
        channel: Arc::new(Buggy(AtomicU32::new(0))),
        ingress: Arc::clone(&heard) as Arc<dyn Ingress>,
        db: home.db.clone(),
        careful: Arc::default(),
        clock_guard: Arc::new(ClockGuard::new(Arc::new(SystemClock), WorkerId::new(), LEASE)),
        again: Arc::default(),
    };
    let stop = CancellationToken::new();
    let ending = async {
        while heard.told.lock().unwrap().len() < 5 {
            heard.notify.notified().await;
        }
        stop.cancel();
    };
    tokio::join!(receiver.run(stop.clone()), ending);
    let up = |time: u32| ConnectionStatus::Connected(format!("the {time}."));
    let down = || {
        let why = "the connection was lost: receiving panicked, which is a bug; the log tells where";
        ConnectionStatus::Disconnected(why.to_owned())
    };
    assert_eq!(*heard.told.lock().unwrap(), [up(1), down(), up(2), down(), up(3)]);
}
