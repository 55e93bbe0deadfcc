//! How a platform's connections stand in this process, told as one.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::Ingress;
use clifford_chat::{
    completion::{Choice, Completion},
    error::IngressError,
    inbound::{Accepted, ConnectionStatus, Inbound, Names, Served},
    platform::Platform,
};
use tokio::sync::watch;

/// How each connection of a platform stands.
pub(super) struct Standing {
    platform: Platform,
    ingress: Arc<dyn Ingress>,
    /// `None`: another process's, or not tried yet.
    shards: Mutex<Vec<Option<ConnectionStatus>>>,
}

/// The ingress as one connection sees it.
pub(super) struct Window {
    standing: Arc<Standing>,
    shard: usize,
    /// How often in a row it failed.
    failures: watch::Sender<u32>,
    state: Mutex<State>,
}

/// The history of a connection's attempts.
#[derive(Debug, Default)]
struct State {
    is_up: bool,
    /// It is, but the platform withholds something.
    is_limited: bool,
    /// It was up since it began.
    was_up: bool,
}

impl Standing {
    pub(super) fn new(platform: Platform, ingress: Arc<dyn Ingress>, shards: u32) -> Arc<Self> {
        Arc::new(Self {
            platform,
            ingress,
            shards: Mutex::new(vec![None; usize::try_from(shards).unwrap_or(1)]),
        })
    }

    /// The ingress as one connection is to see it.
    pub(super) fn window(self: &Arc<Self>, shard: u32) -> Arc<Window> {
        Arc::new(Window {
            standing: Arc::clone(self),
            shard: usize::try_from(shard).unwrap_or_default(),
            failures: watch::Sender::new(0),
            state: Mutex::default(),
        })
    }

    fn tell(&self, shard: usize, own: Option<ConnectionStatus>, otherwise: ConnectionStatus) {
        let told = {
            // A list of which one entry is replaced cannot be left half changed.
            let mut shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(entry) = shards.get_mut(shard) {
                *entry = own;
            }
            summed_up(&shards).unwrap_or(otherwise)
        };
        self.ingress.status(self.platform, told);
    }
}

/// A connection that is down goes before one that lacks something, and that before one that is up; `None`: no
/// connection is this process's.
fn summed_up(shards: &[Option<ConnectionStatus>]) -> Option<ConnectionStatus> {
    let mut own = shards.iter().flatten();
    let is_down = |status: &&ConnectionStatus| matches!(status, ConnectionStatus::Disconnected(_));
    let is_limited = |status: &&ConnectionStatus| matches!(status, ConnectionStatus::Limited { .. });
    let worst = own.clone().find(is_down).or_else(|| own.clone().find(is_limited));
    worst.or_else(|| own.next()).cloned()
}

impl Window {
    fn state<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// It is retried.
    pub(super) fn begin(&self) {
        self.state(|state| (state.is_up, state.was_up, state.is_limited) = (false, false, false));
    }

    /// Whether it was up since it began.
    pub(super) fn was_connected(&self) -> bool {
        self.state(|state| state.was_up)
    }

    /// Whether it may stand better after it begins anew.
    pub(super) fn may_gain(&self) -> bool {
        self.state(|state| !state.is_up || state.is_limited)
    }

    /// How often in a row it failed.
    pub(super) fn failures(&self) -> watch::Receiver<u32> {
        self.failures.subscribe()
    }

    /// It failed once more: how often in a row that is.
    pub(super) fn failed(&self) -> u32 {
        self.failures
            .send_modify(|failures| *failures = failures.saturating_add(1));
        *self.failures.borrow()
    }

    /// Another process tries: how often it failed here says nothing of the next time.
    pub(super) fn forget_failures(&self) {
        self.failures.send_replace(0);
    }

    /// The connection is not there, for this reason.
    pub(super) fn down(&self, why: &str) {
        self.state(|state| state.is_up = false);
        self.standing
            .tell(self.shard, None, ConnectionStatus::Disconnected(why.to_owned()));
    }
}

#[async_trait]
impl Ingress for Window {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        self.standing.ingress.accept(event).await
    }

    async fn complete(&self, asked: Completion) -> Result<Vec<Choice>, IngressError> {
        self.standing.ingress.complete(asked).await
    }

    async fn served(&self, platform: Platform, within: Duration) -> Result<Vec<Served>, IngressError> {
        self.standing.ingress.served(platform, within).await
    }

    async fn names(&self, names: Names) {
        self.standing.ingress.names(names).await;
    }

    fn status(&self, _: Platform, status: ConnectionStatus) {
        match &status {
            ConnectionStatus::Connected(_) | ConnectionStatus::Limited { .. } => {
                let is_limited = matches!(status, ConnectionStatus::Limited { .. });
                self.state(|state| {
                    *state = State {
                        is_up: true,
                        is_limited,
                        was_up: true,
                    };
                });
                self.failures.send_replace(0);
            }
            ConnectionStatus::Disconnected(_) => {
                self.state(|state| state.is_up = false);
                self.failed();
            }
        }
        self.standing.tell(self.shard, Some(status.clone()), status);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_connection_that_is_down_is_what_is_told() {
        let up = || Some(ConnectionStatus::Connected("Clifford".to_owned()));
        let down = || Some(ConnectionStatus::Disconnected("lost".to_owned()));
        assert_eq!(summed_up(&[None, None]), None);
        assert_eq!(summed_up(&[None, up()]), up());
        assert_eq!(summed_up(&[up(), down()]), down());
        let limited = || {
            Some(ConnectionStatus::Limited {
                name: "Clifford".to_owned(),
                lacks: "it hears little".to_owned(),
            })
        };
        assert_eq!(summed_up(&[up(), limited()]), limited());
        assert_eq!(summed_up(&[limited(), down()]), down());
    }
}
