//! Keeps a platform connected: each connection in one process at a time, and again after every loss.
//!
//! A lost connection is made again within seconds. A refusal (a wrong token, or a proxy that answers 401 or 404 for a
//! moment) is logged once and retried with growing delays, at once on SIGHUP. After some failures in a row the
//! connection goes to another process that stands by: its network may work.

mod backoff;
mod share;
mod standing;

use std::{fmt::Display, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use clifford_channel::{Channel, Ingress};
use clifford_chat::error::ChannelError;
use clifford_core::clock::Timestamp;
use clifford_store::{
    Db, StoreError,
    leases::{self, clock_guard::ClockGuard},
};
use clifford_telemetry::{measures, quarantine::Careful, supervise};
use futures::FutureExt;
use tokio::{sync::Notify, task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use self::{
    backoff::Backoff,
    share::{ConnectionSlot, Share},
    standing::{Standing, Window},
};

/// How long a connection's lease lasts at most: a standby takes over within it.
pub const LEASE: Duration = Duration::from_secs(15);
/// The shortest look at a lease that is about to run out.
const MOMENT: Duration = Duration::from_millis(50);
/// The reason of a connection that a bug ended.
const PANICKED: &str = "receiving panicked, which is a bug; the log tells where";
/// The first wait after a lost connection, and the longest.
const LOST: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(5));
/// The first wait after a refusal, and the longest.
const REFUSED: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(300));
/// After so many failures in a row a connection is handed over, if another process stands by.
const HANDED_OVER_AFTER: u32 = 3;
/// The reason where another process has the connection.
pub const STANDING_BY: &str = "another process is connected; standing by";

/// The dependencies of a receiver.
#[derive(Clone)]
pub struct Receiver {
    /// The platform.
    pub channel: Arc<dyn Channel>,
    /// Where events go.
    pub ingress: Arc<dyn Ingress>,
    /// The database, for the lease.
    pub db: Db,
    /// Told when a connection is made whose process died.
    pub careful: Arc<Careful>,
    /// The process's id, the length of a connection's lease, and when the lease may be taken over.
    pub clock_guard: Arc<ClockGuard>,
    /// Restarts failed connections at once, by [`Notify::notify_waiters`].
    pub again: Arc<Notify>,
}

/// The result of taking or renewing a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// It is this process's.
    Ours,
    /// It is another's.
    Elsewhere,
    /// The database does not answer.
    Unknown,
}

/// The lease of one of a platform's connections.
pub fn lease_name(platform: impl Display, shard: u32) -> String {
    match shard {
        0 => format!("channel:{platform}"),
        shard => format!("channel:{platform}:{shard}"),
    }
}

/// One of a platform's connections.
struct Connection {
    receiver: Receiver,
    shard: u32,
    share: Arc<Share>,
    /// Where its events go, and what it tells of itself.
    window: Arc<Window>,
}

/// How a connection ended.
enum Ended {
    Stopped,
    LeaseLost,
    /// This process has more than its share, and another is waiting.
    Excess,
    /// It kept failing, and another process stands by.
    HandedOver,
    /// It was down, and restarts at once.
    Anew,
    Failed(ChannelError),
}

impl Receiver {
    /// Receives until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let platform = self.channel.platform();
        let shards = tokio::select! {
            () = stop.cancelled() => return,
            shards = self.channel.shards(self.ingress.as_ref()) => shards,
        };
        let share = Arc::new(Share::new(self.clone(), &shards));
        let standing = Standing::new(platform, Arc::clone(&self.ingress), shards.end);
        let mut connections = JoinSet::new();
        for shard in shards {
            let connection = Arc::new(Connection {
                receiver: self.clone(),
                shard,
                share: Arc::clone(&share),
                window: standing.window(shard),
            });
            let own = stop.clone();
            connections.spawn(supervise::restart_on_panic("connection", stop.clone(), move || {
                Arc::clone(&connection).run(own.clone())
            }));
        }
        let ending = stop.child_token();
        let sharing = supervise::restart_on_panic("shares of connections", ending.clone(), || {
            share.announce_presence(ending.clone())
        });
        tokio::join!(sharing, async {
            // None of them panics: that ends in `supervise`.
            while connections.join_next().await.is_some() {}
            ending.cancel();
        });
    }

    /// How often leases are renewed.
    fn renew_every(&self) -> Duration {
        self.clock_guard.lease() / 3
    }

    /// Takes or renews a lease.
    async fn hold(&self, name: &str) -> Hold {
        let (lease, window) = (name.to_owned(), self.clock_guard.window());
        let held = self
            .db
            .write(move |tx| Box::pin(async move { leases::hold(tx, &lease, window).await }))
            .await;
        match held {
            Ok(true) => Hold::Ours,
            Ok(false) => Hold::Elsewhere,
            Err(error) => {
                tracing::warn!(lease = name, %error, "failed to acquire a connection lease");
                Hold::Unknown
            }
        }
    }

    async fn release(&self, name: &str) {
        let (lease, worker) = (name.to_owned(), self.clock_guard.worker());
        let given = self
            .db
            .write(move |tx| Box::pin(async move { leases::release(tx, &lease, worker).await }))
            .await;
        if let Err(error) = given {
            tracing::warn!(lease = name, %error, "failed to release a connection lease, which lapses by itself");
        }
    }

    /// Whether the process died that had a lease. Not known: it may have.
    async fn was_left(&self, name: &str) -> bool {
        let window = self.clock_guard.window();
        let left = async { leases::was_left(&mut self.db.read().await?, name, window).await };
        let left: Result<bool, StoreError> = left.await;
        left.unwrap_or(true)
    }

    async fn runs_out(&self, name: &str) -> Result<Option<Timestamp>, StoreError> {
        leases::until(&mut self.db.read().await?, name).await
    }
}

impl Connection {
    async fn run(self: Arc<Self>, stop: CancellationToken) {
        let receiver = &self.receiver;
        let name = lease_name(receiver.channel.platform(), self.shard);
        let (mut lost, mut refused) = (Backoff::new(LOST), Backoff::new(REFUSED));
        while !stop.is_cancelled() {
            let Some(mut place) = self.share.take() else {
                wait(&stop, receiver.renew_every()).await;
                continue;
            };
            let was_left = receiver.was_left(&name).await;
            let held = receiver.hold(&name).await;
            if held == Hold::Ours {
                receiver.careful.connect(was_left);
            } else {
                drop(place);
                self.window.down(match held {
                    Hold::Unknown => "the database does not answer; standing by",
                    _ => STANDING_BY,
                });
                if held == Hold::Elsewhere {
                    self.window.forget_failures();
                    self.share.stand_by().await;
                }
                wait(&stop, self.until_it_may_be_free(&name).await).await;
                continue;
            }
            self.share.stand_by_no_more().await;
            self.window.begin();
            // A bug in an adapter counts as a lost connection: it must be logged, and the connection restarted.
            let ended = AssertUnwindSafe(self.connection(&name, &mut place, &stop)).catch_unwind();
            let ended = ended.await.unwrap_or_else(|_| {
                measures::panicked();
                Ended::Failed(ChannelError::Lost(PANICKED.to_owned()))
            });
            if self.window.was_connected() {
                lost.reset();
                refused.reset();
            }
            match ended {
                Ended::Stopped => break,
                Ended::Anew => tracing::info!(platform = %receiver.channel.platform(), "reconnecting to the platform"),
                Ended::LeaseLost => self.window.down("the connection lease was lost"),
                Ended::Excess => {
                    receiver.release(&name).await;
                    self.window.down(STANDING_BY);
                    wait(&stop, receiver.clock_guard.lease()).await;
                }
                Ended::HandedOver => {
                    drop(place);
                    self.hand_over(&name, &stop).await;
                }
                Ended::Failed(ChannelError::Misconfigured(why)) => {
                    drop(place);
                    // Others may try meanwhile: this wait may be longer than a lease.
                    receiver.release(&name).await;
                    self.refused(&why, refused.next(), &stop).await;
                }
                Ended::Failed(error) => {
                    self.window.down(&error.to_string());
                    if self.window.failed() >= HANDED_OVER_AFTER && self.share.others_stand_by().await {
                        drop(place);
                        self.hand_over(&name, &stop).await;
                    } else {
                        self.wait_or_anew(&stop, lost.next()).await;
                    }
                }
            }
        }
        self.share.stand_by_no_more().await;
        receiver.release(&name).await;
    }

    /// Tells of a refusal, which is logged once for each reason as the status of the platform, and waits.
    async fn refused(&self, why: &str, patience: Duration, stop: &CancellationToken) {
        let platform = self.receiver.channel.platform();
        measures::connection_refused(platform);
        self.window.down(why);
        let retry_seconds = patience.as_secs();
        tracing::debug!(%platform, retry_seconds, "platform refuses the bot, retrying (at once on SIGHUP)");
        self.wait_or_anew(stop, patience).await;
    }

    /// Gives the connection back, and leaves the others the time to take it.
    async fn hand_over(&self, name: &str, stop: &CancellationToken) {
        let receiver = &self.receiver;
        let platform = receiver.channel.platform();
        tracing::warn!(%platform, failures = HANDED_OVER_AFTER, "connection keeps failing, handing it to a standby process");
        self.window.forget_failures();
        receiver.release(name).await;
        wait(stop, receiver.renew_every() + receiver.renew_every() / 2).await;
    }

    async fn wait_or_anew(&self, stop: &CancellationToken, time: Duration) {
        tokio::select! {
            () = self.receiver.again.notified() => {}
            () = wait(stop, time) => {}
        }
    }

    /// One connection, for as long as the lease is held.
    async fn connection(&self, name: &str, place: &mut ConnectionSlot, stop: &CancellationToken) -> Ended {
        let own = stop.child_token();
        let ingress = Arc::clone(&self.window) as Arc<dyn Ingress>;
        let receive = self.receiver.channel.receive_shard(self.shard, ingress, own.clone());
        tokio::pin!(receive);
        // Side by side: what is being received has connections to the database in its hands, which it gives back only
        // while it goes on, and renewing needs one.
        let ended = tokio::select! {
            ended = &mut receive => {
                return match ended {
                    Ok(()) => Ended::Stopped,
                    Err(error) => Ended::Failed(error),
                };
            }
            ended = self.renew(name, place) => ended,
            () = self.keeps_failing() => Ended::HandedOver,
            () = self.to_begin_anew() => Ended::Anew,
        };
        own.cancel();
        receive.await.ok();
        ended
    }

    /// Returns once the connection has failed too often in a row and another process stands by.
    async fn keeps_failing(&self) {
        let mut failures = self.window.failures();
        while failures
            .wait_for(|failures| *failures >= HANDED_OVER_AFTER)
            .await
            .is_ok()
        {
            if self.share.others_stand_by().await {
                return;
            }
            if failures.changed().await.is_err() {
                break;
            }
        }
        std::future::pending().await
    }

    /// Returns when the connection is down, or lacks something, and is to restart.
    async fn to_begin_anew(&self) {
        loop {
            self.receiver.again.notified().await;
            if self.window.may_gain() {
                return;
            }
        }
    }

    /// Renews the lease until it is lost or given up. While the database does not answer, the lease is this process's
    /// until it expires; a process that learns of another holder stops at once, else both would receive.
    async fn renew(&self, name: &str, place: &mut ConnectionSlot) -> Ended {
        let receiver = &self.receiver;
        let mut renewed = Instant::now();
        loop {
            tokio::time::sleep(receiver.renew_every()).await;
            match receiver.hold(name).await {
                Hold::Ours => renewed = Instant::now(),
                Hold::Unknown if renewed.elapsed() < receiver.clock_guard.lease() => continue,
                Hold::Unknown | Hold::Elsewhere => return Ended::LeaseLost,
            }
            if place.is_too_many() {
                return Ended::Excess;
            }
        }
    }

    /// How long to wait before looking again: until the lease that another process holds runs out, but not so long
    /// that one that was given back stays unnoticed.
    async fn until_it_may_be_free(&self, name: &str) -> Duration {
        let receiver = &self.receiver;
        let every = receiver.renew_every();
        match receiver.runs_out(name).await {
            Ok(Some(until)) => until
                .since(receiver.clock_guard.now())
                .saturating_add(MOMENT)
                .min(every),
            _ => every,
        }
    }
}

async fn wait(stop: &CancellationToken, time: Duration) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = tokio::time::sleep(time) => {}
    }
}
