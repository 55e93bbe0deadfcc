//! How a platform's connections stand in this process, told as one.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{
    Accepted, Choice, Completion, ConnectionStatus, Inbound, Ingress, IngressError, Platform, Served,
};

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

/// What is down is told before what is up; `None`: no connection is this process's.
fn summed_up(shards: &[Option<ConnectionStatus>]) -> Option<ConnectionStatus> {
    let mut own = shards.iter().flatten();
    let is_down = |status: &&ConnectionStatus| matches!(status, ConnectionStatus::Disconnected(_));
    own.clone().find(is_down).or_else(|| own.next()).cloned()
}

impl Window {
    /// The connection is not there, for this reason.
    pub(super) fn down(&self, why: &str) {
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

    fn status(&self, _: Platform, status: ConnectionStatus) {
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
    }
}
