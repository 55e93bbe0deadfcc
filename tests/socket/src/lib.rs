//! A chat over a TCP socket: lines of JSON. It exists in tests alone, and shows the parts of a platform.
//!
//! The bot connects, says who it is (`{"hello":{"token":"…","receive":true}}`) and is welcomed by its name
//! (`{"welcome":"clifford"}`) or refused (`{"refused":"…"}`). Then each side says one thing a line:
//!
//! - the chat: `{"n":1,"room":"5","private":true,"from":{"id":"7","name":"Ada"},"id":"m1","at":0,"text":"hello"}`, and the
//!   same again after the next welcome as long as it was not confirmed; `press` stands for `text` where a button was
//!   pressed;
//! - the bot, behind an event that was stored: `{"confirm":1}`;
//! - the bot, on a connection of its own without `receive`: `{"send":{"room":"5","key":"…","text":"…"}}`, answered by
//!   `{"sent":"m2"}` or by what went wrong; or `{"typing":"5"}`, answered by `{"shown":true}`; or
//!   `{"pin":{"room":"5","message":"m1","by":"7"}}`, answered by `{"pinned":true}` or by `{"forbidden":"…"}`.

mod map;
mod platform;
mod receive;
mod send;
mod wire;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use clifford_channel::{
    Act, ActError, Acted, Actor, Adapter, Address, Channel, ChannelError, DeliveryKey, Ingress, Limits, Part, Platform,
    PlatformRole, Receipt, SendError, Signal,
};
use clifford_markup::Flavor;
pub use platform::SocketSettings;
use tokio_util::sync::CancellationToken;

use self::wire::Server;

/// The adapter.
#[derive(Debug)]
pub struct Socket {
    server: Server,
    typing_every: Duration,
}

#[async_trait]
impl Channel for Socket {
    fn platform(&self) -> Platform {
        Self::ABOUT.platform
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: 1_000,
            file_bytes: 1 << 20,
            flavor: Flavor::Plain,
            drops_repeats: true,
            typing_every: Some(self.typing_every),
            delivered_when_stored: false,
            shows_progress: false,
            ..Limits::default()
        }
    }

    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        receive::receive(&self.server, &*ingress, &stop).await
    }

    async fn send(&self, to: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        send::part(&self.server, to, part, key).await
    }

    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError> {
        match signal {
            Signal::Typing => send::typing(&self.server, to).await,
            Signal::Progress { .. }
            | Signal::Draft { .. }
            | Signal::DraftDropped { .. }
            | Signal::Mark(_)
            | Signal::Done => Ok(()),
        }
    }
}

#[async_trait]
impl Actor for Socket {
    fn platform(&self) -> Platform {
        Self::ABOUT.platform
    }

    async fn act(&self, place: &str, account: &str, act: &Act) -> Result<Acted, ActError> {
        match act {
            Act::Pin { message } => send::pin(&self.server, place, account, message).await,
            other => Err(ActError::Unknown(format!("{other:?}"))),
        }
    }

    /// The chat's rooms have no managers.
    async fn manages(&self, _place: &str, _account: &str) -> Result<bool, ActError> {
        Ok(false)
    }

    /// Nor roles.
    async fn roles(&self, _place: &str, _account: &str) -> Result<Vec<PlatformRole>, ActError> {
        Ok(Vec::new())
    }
}
