//! Keeps a platform connected: one process at a time, again after a loss, never against a wrong setting.

use std::{sync::Arc, time::Duration};

use clifford_channel::{Channel, ChannelError, ConnectionStatus, Ingress};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    clock::SharedClock,
    id::WorkerId,
    store::{Db, leases},
};

/// How long a connection's lease lasts: a standby takes over within it.
const LEASE: Duration = Duration::from_secs(15);
/// How often it is renewed.
const RENEW: Duration = Duration::from_secs(5);
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
    /// The clock.
    pub clock: SharedClock,
    /// This process.
    pub worker: WorkerId,
}

/// How a connection ended.
enum Ended {
    Stopped,
    LeaseLost,
    Failed(ChannelError),
}

impl Receiver {
    /// Receives until `stop`, or until a setting turns out to be wrong.
    pub async fn run(self, stop: CancellationToken) {
        let platform = self.channel.platform();
        let mut backoff = BACKOFF.0;
        while !stop.is_cancelled() {
            match self.hold().await {
                true => {}
                false => {
                    self.down("another process is connected; standing by");
                    wait(&stop, RENEW).await;
                    continue;
                }
            }
            // Not by the clock, which may be put forward or back.
            let began = Instant::now();
            match self.connection(&stop).await {
                Ended::Stopped => break,
                Ended::LeaseLost => self.down("the connection's lease was lost"),
                Ended::Failed(ChannelError::Misconfigured(why)) => {
                    tracing::error!(%platform, "{why}");
                    self.down(&why);
                    break;
                }
                Ended::Failed(error) => {
                    self.down(&error.to_string());
                    if began.elapsed() > Duration::from_secs(60) {
                        backoff = BACKOFF.0;
                    }
                    wait(&stop, backoff).await;
                    backoff = (backoff * 2).min(BACKOFF.1);
                }
            }
        }
        let name = self.lease_name();
        let worker = self.worker;
        self.db
            .write(move |tx| Box::pin(async move { leases::give_back(tx, &name, worker).await }))
            .await
            .ok();
    }

    /// One connection, for as long as the lease is held.
    async fn connection(&self, stop: &CancellationToken) -> Ended {
        let own = stop.child_token();
        let receive = self.channel.receive(Arc::clone(&self.ingress), own.clone());
        tokio::pin!(receive);
        let mut renewed = Instant::now();
        loop {
            tokio::select! {
                ended = &mut receive => {
                    return match ended {
                        Ok(()) => Ended::Stopped,
                        Err(error) => Ended::Failed(error),
                    };
                }
                () = tokio::time::sleep(RENEW) => {
                    if self.hold().await {
                        renewed = Instant::now();
                    } else if renewed.elapsed() >= LEASE {
                        own.cancel();
                        receive.as_mut().await.ok();
                        return Ended::LeaseLost;
                    }
                }
            }
        }
    }

    fn lease_name(&self) -> String {
        format!("channel:{}", self.channel.platform())
    }

    async fn hold(&self) -> bool {
        let (name, worker, now) = (self.lease_name(), self.worker, self.clock.now());
        let held = self
            .db
            .write(move |tx| Box::pin(async move { leases::hold(tx, &name, worker, now, now.after(LEASE)).await }))
            .await;
        held.unwrap_or_else(|error| {
            tracing::warn!(%error, "a connection's lease could not be held");
            false
        })
    }

    fn down(&self, why: &str) {
        self.ingress
            .status(self.channel.platform(), ConnectionStatus::Disconnected(why.to_owned()));
    }
}

async fn wait(stop: &CancellationToken, time: Duration) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = tokio::time::sleep(time) => {}
    }
}
