//! The adapter against a Bot API server on loopback.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test's helpers panic as the test does"
)]

mod acting;
mod conformance;
mod fetching;
mod ingress;
mod pressing;
mod receiving;
mod sending;

use std::{sync::Arc, time::Duration};

use clifford_channel::{Channel, ChannelError};
use clifford_fakes::telegram::TelegramFake;
use clifford_telegram::{Rates, Telegram, TelegramConfig};
use ingress::Memory;
use tokio::task::JoinHandle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The usual person.
const ADA: i64 = 7;

/// The adapter's settings for a fake, without rates.
fn config(fake: &TelegramFake) -> TelegramConfig {
    TelegramConfig {
        token: fake.token().to_owned(),
        api_url: fake.api_url().parse().unwrap(),
        poll_timeout: Duration::from_secs(30),
        rates: Rates::UNLIMITED,
        commands: Vec::new(),
        drafts: false,
    }
}

fn telegram(fake: &TelegramFake) -> Telegram {
    Telegram::new(config(fake)).unwrap()
}

/// An adapter that receives.
struct Running {
    stop: CancellationToken,
    task: JoinHandle<Result<(), ChannelError>>,
}

impl Running {
    fn start(telegram: Telegram, ingress: &Arc<Memory>) -> Self {
        let stop = CancellationToken::new();
        let (ingress, token) = (Arc::clone(ingress), stop.clone());
        let task = TaskTracker::new().spawn(async move { telegram.receive(ingress, token).await });
        Self { stop, task }
    }

    /// Stops it in good order, and returns what it returned.
    async fn stop(self) -> Result<(), ChannelError> {
        self.stop.cancel();
        self.ended().await
    }

    /// Waits for it to end by itself.
    async fn ended(self) -> Result<(), ChannelError> {
        let ended = tokio::time::timeout(Duration::from_secs(20), self.task);
        ended.await.expect("receiving did not end").unwrap()
    }

    /// Ends it as a crash would.
    async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }
}
