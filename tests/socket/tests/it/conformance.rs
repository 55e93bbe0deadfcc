//! The kit that is run over every adapter.

use std::sync::Arc;

use async_trait::async_trait;
use clifford_channel::{Adapter, Address, Channel, Common};
use clifford_fakes::conformance::{Site, conforms};
use clifford_socket::{Socket, SocketSettings};
use clifford_vault::Secret;

use crate::server::{ROOM, Server};

#[async_trait]
impl Site for Server {
    fn adapter(&self) -> Arc<dyn Channel> {
        let common = Common {
            api_url: self.api_url().into(),
            ..Common::of(&Socket::ABOUT)
        };
        Socket::build(&common, &SocketSettings::default(), &Secret::new(Self::TOKEN), &[])
            .unwrap()
            .channel
    }

    async fn says(&self, text: &str) {
        Self::says(self, "text", text);
    }

    fn address(&self) -> Address {
        Address {
            place: ROOM.to_owned(),
            private: true,
            reply_to: None,
            via: None,
        }
    }

    fn received(&self) -> Vec<String> {
        self.texts()
    }

    fn unconfirmed(&self) -> Option<usize> {
        Some(Self::unconfirmed(self))
    }

    fn violations(&self) -> Vec<String> {
        Self::violations(self)
    }
}

#[tokio::test]
async fn the_adapter_does_what_every_adapter_does() {
    let server = Server::start().await;
    conforms(&server).await;
    assert!(server.typings() > 0, "typing and the probe ask the chat");
}
