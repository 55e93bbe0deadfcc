//! The kit that is run over every adapter.

use std::sync::Arc;

use async_trait::async_trait;
use clifford_channel::{Address, Channel};
use clifford_fakes::{
    conformance::{Site, conforms},
    telegram::{Chat, TelegramFake},
};

use crate::{ADA, telegram};

struct Private {
    fake: TelegramFake,
    chat: Chat,
}

#[async_trait]
impl Site for Private {
    fn adapter(&self) -> Arc<dyn Channel> {
        Arc::new(telegram(&self.fake))
    }

    async fn says(&self, text: &str) {
        self.fake.user_says(self.chat, ADA, text);
    }

    fn address(&self) -> Address {
        Address {
            place: self.chat.id.to_string(),
            private: true,
            reply_to: None,
            via: None,
        }
    }

    fn received(&self) -> Vec<String> {
        self.fake.sent(self.chat).into_iter().map(|sent| sent.text).collect()
    }

    fn unconfirmed(&self) -> Option<usize> {
        Some(self.fake.pending())
    }

    fn violations(&self) -> Vec<String> {
        self.fake.violations()
    }
}

#[tokio::test]
async fn the_adapter_does_what_every_adapter_does() {
    let fake = TelegramFake::start().await.unwrap();
    let chat = fake.user(ADA, "Ada");
    conforms(&Private { fake, chat }).await;
}
