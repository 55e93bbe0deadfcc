//! The API's own channel: a message there is delivered when it is stored.

use std::sync::Arc;

use async_trait::async_trait;
use clifford_channel::{Channel, Ingress};
use clifford_chat::{
    error::{ChannelError, SendError},
    outbound::{Address, DeliveryKey, Limits, Part, Receipt, Signal},
    platform::Platform,
};
use clifford_markup::Flavor;
use tokio_util::sync::CancellationToken;

/// The API's own channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebChannel;

#[async_trait]
impl Channel for WebChannel {
    fn platform(&self) -> Platform {
        Platform::WEB
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: usize::MAX,
            file_bytes: u64::MAX,
            flavor: Flavor::Plain,
            drops_repeats: true,
            typing_every: None,
            delivered_when_stored: true,
            shows_progress: false,
            ..Limits::default()
        }
    }

    /// Messages come in through the API's handlers.
    async fn receive(&self, _: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        stop.cancelled().await;
        Ok(())
    }

    async fn send(&self, _: &Address, _: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        Ok(Receipt { id: key.0.clone() })
    }

    async fn signal(&self, _: &Address, _: &Signal) -> Result<(), SendError> {
        Ok(())
    }
}
