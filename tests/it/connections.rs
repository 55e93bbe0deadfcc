//! A platform's connection belongs to one process: a process that learns of another owner lets go at once.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
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
use clifford_store::{
    Db,
    leases::{self, ClaimWindow, clock_guard::ClockGuard},
};
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{harness::PATIENCE, store::world::Home};

const LEASE: Duration = Duration::from_secs(6);
const NAME: &str = "channel:telegram";

/// A platform that sends nothing, and knows whether it is being received from.
#[derive(Debug)]
struct Line(watch::Sender<bool>);

#[async_trait]
impl Channel for Line {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: 4096,
            file_bytes: 1 << 20,
            flavor: clifford_markup::Flavor::Plain,
            drops_repeats: false,
            typing_every: None,
            delivered_when_stored: false,
            shows_progress: false,
            ..Limits::default()
        }
    }

    async fn receive(&self, _: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        self.0.send_replace(true);
        stop.cancelled().await;
        self.0.send_replace(false);
        Ok(())
    }

    async fn send(&self, _: &Address, _: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        Ok(Receipt { id: key.0.clone() })
    }

    async fn signal(&self, _: &Address, _: &Signal) -> Result<(), SendError> {
        Ok(())
    }
}

/// The status reports of the connection.
#[derive(Debug, Default)]
struct Told(Mutex<Vec<ConnectionStatus>>);

impl Told {
    fn first(&self) -> Option<ConnectionStatus> {
        self.0.lock().unwrap().first().cloned()
    }
}

#[async_trait]
impl Ingress for Told {
    async fn accept(&self, _: Inbound) -> Result<Accepted, IngressError> {
        Ok(Accepted::Ignored)
    }

    async fn complete(&self, _: Completion) -> Result<Vec<Choice>, IngressError> {
        Ok(Vec::new())
    }

    async fn served(&self, _: Platform, _: Duration) -> Result<Vec<Served>, IngressError> {
        Ok(Vec::new())
    }

    fn status(&self, _: Platform, status: ConnectionStatus) {
        self.0.lock().unwrap().push(status);
    }
}

async fn until(line: &Line, is_received: bool) {
    let mut watch = line.0.subscribe();
    let came = tokio::time::timeout(PATIENCE, watch.wait_for(|now| *now == is_received));
    came.await.expect("it comes").expect("the line is there");
}

/// Waits until the lease is renewed: it holds for long then.
async fn renewed(db: &Db) {
    let held = async || {
        leases::until(&mut db.read().await.unwrap(), NAME)
            .await
            .unwrap()
            .expect("a lease")
    };
    let before = held().await;
    let mut often = tokio::time::interval(Duration::from_millis(10));
    let came = tokio::time::timeout(PATIENCE, async {
        while held().await == before {
            often.tick().await;
        }
    });
    came.await.expect("it is renewed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_whose_connection_another_has_stops_long_before_its_lease_is_over() {
    let home = Home::sqlite().await;
    let (line, told) = (Arc::new(Line(watch::Sender::new(false))), Arc::new(Told::default()));
    let clock_guard = ClockGuard::new(Arc::new(SystemClock), WorkerId::new(), LEASE);
    let receiver = Receiver {
        channel: Arc::clone(&line) as _,
        ingress: Arc::clone(&told) as _,
        db: home.db.clone(),
        careful: Arc::default(),
        clock_guard: Arc::new(clock_guard),
        again: Arc::default(),
    };
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    tasks.spawn(receiver.run(stop.clone()));
    until(&line, true).await;
    renewed(&home.db).await;
    // One whose clock is ahead, or that thinks this one dead.
    let other = ClockGuard::new(Arc::new(SystemClock), WorkerId::new(), LEASE * 10);
    let ahead = ClaimWindow {
        over: other.now().after(LEASE * 10),
        ..other.window()
    };
    let taken = home.db.write(move |tx| Box::pin(leases::hold(tx, NAME, ahead))).await;
    assert!(taken.unwrap());
    let began = Instant::now();
    until(&line, false).await;
    assert!(began.elapsed() < LEASE * 3 / 4, "{:?}", began.elapsed());
    let lost = ConnectionStatus::Disconnected("the connection lease was lost".to_owned());
    let mut often = tokio::time::interval(Duration::from_millis(10));
    let came = tokio::time::timeout(PATIENCE, async {
        while told.first().is_none() {
            often.tick().await;
        }
    });
    came.await.expect("it is told");
    assert_eq!(told.first(), Some(lost));
    stop.cancel();
    tasks.close();
    tasks.wait().await;
}

/// A platform that refuses the bot as often as it is told, and then lets it in.
struct Refusing {
    left: AtomicU32,
    tries: watch::Sender<u32>,
}

#[async_trait]
impl Channel for Refusing {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Line(watch::Sender::new(false)).limits()
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        self.tries.send_modify(|tries| *tries += 1);
        let refuses = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if refuses.is_ok() {
            return Err(ChannelError::Misconfigured("Unauthorized".to_owned()));
        }
        ingress.status(
            Platform::new("telegram"),
            ConnectionStatus::Connected("the bot".to_owned()),
        );
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

#[tokio::test]
async fn a_refused_connection_waits_and_begins_anew_as_soon_as_it_is_told_to() {
    let home = Home::sqlite().await;
    let told = Arc::new(Told::default());
    let channel = Arc::new(Refusing {
        left: AtomicU32::new(2),
        tries: watch::Sender::new(0),
    });
    let again = Arc::new(Notify::new());
    let receiver = Receiver {
        channel: Arc::clone(&channel) as _,
        ingress: Arc::clone(&told) as _,
        db: home.db.clone(),
        careful: Arc::default(),
        clock_guard: Arc::new(ClockGuard::new(Arc::new(SystemClock), WorkerId::new(), LEASE)),
        again: Arc::clone(&again),
    };
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    tasks.spawn(receiver.run(stop.clone()));
    let began = Instant::now();
    // Told while it waits: no refusal is waited out, which would take 5 s and then 10 s.
    let mut often = tokio::time::interval(Duration::from_millis(10));
    let up = ConnectionStatus::Connected("the bot".to_owned());
    let came = tokio::time::timeout(PATIENCE, async {
        while told.0.lock().unwrap().last() != Some(&up) {
            often.tick().await;
            again.notify_waiters();
        }
    });
    came.await.expect("it is connected");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(*channel.tries.borrow(), 3);
    let down = ConnectionStatus::Disconnected("Unauthorized".to_owned());
    assert_eq!(*told.0.lock().unwrap(), [down.clone(), down, up]);
    stop.cancel();
    tasks.close();
    tasks.wait().await;
}

/// A platform that one process cannot reach.
struct Unreachable;

#[async_trait]
impl Channel for Unreachable {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Line(watch::Sender::new(false)).limits()
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        let mut often = tokio::time::interval(Duration::from_millis(20));
        while !stop.is_cancelled() {
            often.tick().await;
            let down = ConnectionStatus::Disconnected("no route".to_owned());
            ingress.status(Platform::new("telegram"), down);
        }
        Ok(())
    }

    async fn send(&self, _: &Address, _: &Part, _: &DeliveryKey) -> Result<Receipt, SendError> {
        Err(SendError::NotSent("it only receives".to_owned()))
    }

    async fn signal(&self, _: &Address, _: &Signal) -> Result<(), SendError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_connection_that_keeps_failing_goes_to_a_process_that_stands_by() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let receiver = |channel: Arc<dyn Channel>| Receiver {
            channel,
            ingress: Arc::new(Told::default()),
            db: home.db.clone(),
            careful: Arc::default(),
            clock_guard: Arc::new(ClockGuard::new(Arc::new(SystemClock), WorkerId::new(), LEASE)),
            again: Arc::default(),
        };
        let line = Arc::new(Line(watch::Sender::new(false)));
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        tasks.spawn(receiver(Arc::new(Unreachable)).run(stop.clone()));
        let mut often = tokio::time::interval(Duration::from_millis(10));
        let held = async || {
            let mut conn = home.db.read().await.unwrap();
            leases::until(&mut conn, NAME).await.unwrap()
        };
        while held().await.is_none() {
            often.tick().await;
        }
        // Nobody stood by until now, so it was kept.
        tasks.spawn(receiver(Arc::clone(&line) as _).run(stop.clone()));
        until(&line, true).await;
        stop.cancel();
        tasks.close();
        tasks.wait().await;
    }
}

/// A platform that no process can reach; how often each attempt failed until it was given up.
struct Down {
    tries: watch::Sender<Vec<(usize, u32)>>,
    process: usize,
}

#[async_trait]
impl Channel for Down {
    fn platform(&self) -> Platform {
        Platform::new("telegram")
    }

    fn limits(&self) -> Limits {
        Line(watch::Sender::new(false)).limits()
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        let mut often = tokio::time::interval(Duration::from_millis(5));
        let mut failures = 0;
        while !stop.is_cancelled() {
            often.tick().await;
            failures += 1;
            let down = ConnectionStatus::Disconnected("no route".to_owned());
            ingress.status(Platform::new("telegram"), down);
        }
        self.tries.send_modify(|tries| tries.push((self.process, failures)));
        Ok(())
    }

    async fn send(&self, _: &Address, _: &Part, _: &DeliveryKey) -> Result<Receipt, SendError> {
        Err(SendError::NotSent("it only receives".to_owned()))
    }

    async fn signal(&self, _: &Address, _: &Signal) -> Result<(), SendError> {
        Ok(())
    }
}

#[tokio::test]
async fn in_an_outage_each_process_tries_anew_before_it_hands_the_connection_over() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let tries = watch::Sender::default();
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        for process in 0..3 {
            let receiver = Receiver {
                channel: Arc::new(Down {
                    tries: watch::Sender::clone(&tries),
                    process,
                }),
                ingress: Arc::new(Told::default()),
                db: home.db.clone(),
                careful: Arc::default(),
                clock_guard: Arc::new(ClockGuard::new(Arc::new(SystemClock), WorkerId::new(), LEASE / 4)),
                again: Arc::default(),
            };
            tasks.spawn(receiver.run(stop.clone()));
        }
        // Somebody has had it twice, and somebody else.
        let mut watch = tries.subscribe();
        let came = tokio::time::timeout(
            PATIENCE,
            watch.wait_for(|tries| {
                let often = |process| tries.iter().filter(|(tried, _)| *tried == process).count();
                (0..3).any(|process| often(process) >= 2) && (0..3).filter(|process| often(*process) > 0).count() >= 2
            }),
        );
        let handed_over = came.await.expect("it comes").expect("they are there").clone();
        stop.cancel();
        tasks.close();
        tasks.wait().await;
        assert!(
            handed_over.iter().all(|(_, failures)| *failures >= 3),
            "{handed_over:?}"
        );
    }
}
