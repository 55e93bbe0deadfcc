//! The kit that is run over every adapter.

use std::sync::Arc;

use async_trait::async_trait;
use clifford_channel::{Address, Channel};
use clifford_discord::Discord;
use clifford_fakes::{
    conformance::{Site, conforms},
    discord::DiscordFake,
};

use crate::support::{config, to};

struct Private {
    fake: Arc<DiscordFake>,
    user: u64,
    channel: u64,
}

#[async_trait]
impl Site for Private {
    fn adapter(&self) -> Arc<dyn Channel> {
        Arc::new(Discord::new(config(&self.fake)).unwrap())
    }

    async fn says(&self, text: &str) {
        self.fake.user_says(self.channel, self.user, text);
    }

    fn address(&self) -> Address {
        Address {
            private: true,
            ..to(self.channel)
        }
    }

    fn received(&self) -> Vec<String> {
        let sent = self.fake.sent(self.channel).into_iter();
        sent.map(|sent| sent.content).collect()
    }

    /// The adapter asks for missed messages, as far as the ingress knows of them.
    fn unconfirmed(&self) -> Option<usize> {
        None
    }

    fn violations(&self) -> Vec<String> {
        self.fake.violations()
    }
}

#[tokio::test]
async fn the_adapter_does_what_every_adapter_does() {
    let fake = Arc::new(DiscordFake::start().await);
    let user = fake.user("Ada");
    let channel = fake.dm(user);
    conforms(&Private { fake, user, channel }).await;
}
