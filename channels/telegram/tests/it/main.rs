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
mod webhook;

use std::{sync::Arc, time::Duration};

use clifford_channel::{Channel, ChannelError, MenuCommand};
use clifford_fakes::telegram::TelegramFake;
use clifford_telegram::{Telegram, TelegramSettings};
use clifford_vault::{Secret, Url};
use ingress::Memory;
use tokio::task::JoinHandle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The usual person.
const ADA: i64 = 7;

/// The settings that the adapter is built from.
struct Config {
    token: Secret,
    api_url: Url,
    settings: TelegramSettings,
    menu: Vec<MenuCommand>,
}

impl Config {
    fn telegram(&self) -> Telegram {
        Telegram::new(&self.api_url, &self.token, &self.settings, &self.menu).unwrap()
    }
}

/// The adapter's settings for a fake, without rates.
fn config(fake: &TelegramFake) -> Config {
    Config {
        token: Secret::new(fake.token()),
        api_url: fake.api_url().into(),
        settings: TelegramSettings::unlimited(),
        menu: Vec::new(),
    }
}

fn telegram(fake: &TelegramFake) -> Telegram {
    config(fake).telegram()
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
