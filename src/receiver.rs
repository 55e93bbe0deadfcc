//! Keeps a platform connected: each connection in one process at a time, again after a loss, never against a wrong
//! setting.

mod share;
mod standing;

use std::{fmt::Display, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use clifford_channel::{Channel, ChannelError, Ingress};
use futures::FutureExt;
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use self::{
    share::{Place, Share},
    standing::{Standing, Window},
};
use crate::{
    clock::Timestamp,
    store::{Db, StoreError, leases},
    supervise,
    takeover::Takeover,
    telemetry::measures,
};

/// How long a connection's lease lasts at most: a standby takes over within it.
pub const LEASE: Duration = Duration::from_secs(15);
/// The shortest look at a lease that is about to run out.
const MOMENT: Duration = Duration::from_millis(50);
/// What is told of a connection that a bug ended.
const PANICKED: &str = "receiving panicked, which is a bug; the log tells where";
/// The first wait after a lost connection, and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// What a receiver works with.
#[derive(Clone)]
pub struct Receiver {
    /// The platform.
    pub channel: Arc<dyn Channel>,
    /// Where events go.
    pub ingress: Arc<dyn Ingress>,
    /// The database, for the lease.
    pub db: Db,
    /// Who this process is, how long a connection's lease lasts, and when it may be taken over.
    pub takeover: Arc<Takeover>,
}

/// What became of taking or renewing a lease.
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
    Failed(ChannelError),
}

impl Receiver {
    /// Receives until `stop`, or until a setting turns out to be wrong.
    pub async fn run(self, stop: CancellationToken) {
        let (platform, shards) = (self.channel.platform(), self.channel.shards());
        let share = Arc::new(Share::new(self.clone(), shards));
        let standing = Standing::new(platform, Arc::clone(&self.ingress), shards);
        let mut connections = JoinSet::new();
        for shard in 0..shards {
            let connection = Arc::new(Connection {
                receiver: self.clone(),
                shard,
                share: Arc::clone(&share),
                window: standing.window(shard),
            });
            let own = stop.clone();
            connections.spawn(supervise::keep("connection", stop.clone(), move || {
                Arc::clone(&connection).run(own.clone())
            }));
        }
        let ending = stop.child_token();
        let sharing = supervise::keep("shares of connections", ending.clone(), || share.keep(ending.clone()));
        tokio::join!(sharing, async {
            // None of them panics: that ends in `supervise`.
            while connections.join_next().await.is_some() {}
            ending.cancel();
        });
    }

    /// How often leases are renewed.
    fn renew_every(&self) -> Duration {
        self.takeover.lease() / 3
    }

    /// Takes or renews a lease.
    async fn hold(&self, name: &str) -> Hold {
        let (name, look) = (name.to_owned(), self.takeover.look());
        let held = self
            .db
            .write(move |tx| Box::pin(async move { leases::hold(tx, &name, look).await }))
            .await;
        match held {
            Ok(true) => Hold::Ours,
            Ok(false) => Hold::Elsewhere,
            Err(error) => {
                tracing::warn!(%error, "a connection's lease could not be held");
                Hold::Unknown
            }
        }
    }

    async fn give_back(&self, name: &str) {
        let (name, worker) = (name.to_owned(), self.takeover.worker());
        let given = self
            .db
            .write(move |tx| Box::pin(async move { leases::give_back(tx, &name, worker).await }))
            .await;
        if let Err(error) = given {
            tracing::warn!(%error, "a connection's lease could not be given back; it runs out by itself");
        }
    }

    async fn runs_out(&self, name: &str) -> Result<Option<Timestamp>, StoreError> {
        leases::until(&mut self.db.read().await?, name).await
    }
}

impl Connection {
    async fn run(self: Arc<Self>, stop: CancellationToken) {
        let receiver = &self.receiver;
        let name = lease_name(receiver.channel.platform(), self.shard);
        let mut backoff = BACKOFF.0;
        while !stop.is_cancelled() {
            let Some(mut place) = self.share.take() else {
                wait(&stop, receiver.renew_every()).await;
                continue;
            };
            let held = receiver.hold(&name).await;
            if held != Hold::Ours {
                drop(place);
                self.window.down(match held {
                    Hold::Unknown => "the database does not answer; standing by",
                    _ => "another process is connected; standing by",
                });
                wait(&stop, self.until_it_may_be_free(&name).await).await;
                continue;
            }
            // Not by the clock, which may be put forward or back.
            let began = Instant::now();
            // A bug in an adapter is a lost connection: it must not be silent, nor deaf for good.
            let ended = AssertUnwindSafe(self.connection(&name, &mut place, &stop)).catch_unwind();
            let ended = ended.await.unwrap_or_else(|_| {
                measures::panicked();
                Ended::Failed(ChannelError::Lost(PANICKED.to_owned()))
            });
            match ended {
                Ended::Stopped => break,
                Ended::LeaseLost => self.window.down("the connection's lease was lost"),
                Ended::Excess => {
                    receiver.give_back(&name).await;
                    self.window.down("another process is connected; standing by");
                    wait(&stop, receiver.takeover.lease()).await;
                }
                Ended::Failed(ChannelError::Misconfigured(why)) => {
                    tracing::error!(platform = %receiver.channel.platform(), "{why}");
                    self.window.down(&why);
                    break;
                }
                Ended::Failed(error) => {
                    self.window.down(&error.to_string());
                    if began.elapsed() > Duration::from_secs(60) {
                        backoff = BACKOFF.0;
                    }
                    wait(&stop, backoff).await;
                    backoff = (backoff * 2).min(BACKOFF.1);
                }
            }
        }
        receiver.give_back(&name).await;
    }

    /// One connection, for as long as the lease is held.
    async fn connection(&self, name: &str, place: &mut Place, stop: &CancellationToken) -> Ended {
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
            ended = self.keep(name, place) => ended,
        };
        own.cancel();
        receive.await.ok();
        ended
    }

    /// Renews the lease until it is lost or is to be given up. While the database does not answer it is this process's
    /// until it runs out; whoever is told that another has it stops at once, else both would receive.
    async fn keep(&self, name: &str, place: &mut Place) -> Ended {
        let receiver = &self.receiver;
        let mut renewed = Instant::now();
        loop {
            tokio::time::sleep(receiver.renew_every()).await;
            match receiver.hold(name).await {
                Hold::Ours => renewed = Instant::now(),
                Hold::Unknown if renewed.elapsed() < receiver.takeover.lease() => continue,
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
            Ok(Some(until)) => until.since(receiver.takeover.now()).saturating_add(MOMENT).min(every),
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
