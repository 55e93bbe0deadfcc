//! Requests in which a platform brings its events, where it calls the bot instead of being asked.

use async_trait::async_trait;
use bytes::Bytes;

use crate::{Ingress, IngressError};

/// The requests of one platform. Whichever process serves HTTP takes them, also one that is not connected.
///
/// The server finds the header, asks [`Webhook::admits`] before it reads the body, and answers 200 only after
/// [`Webhook::take`] has returned `Ok`. So the platform repeats what was not stored.
#[async_trait]
pub trait Webhook: Send + Sync {
    /// The host by which the platform reaches this bot.
    fn host(&self) -> &str;

    /// The path of the requests; nothing else is served there.
    fn path(&self) -> &str;

    /// The header that proves where a request is from, in lower case.
    fn header(&self) -> &'static str;

    /// Whether the header's value is right. How long that takes tells nothing of the right one.
    fn admits(&self, value: &[u8]) -> bool;

    /// Takes the body of a request. `Ok` means: committed. A repeat changes nothing.
    ///
    /// # Errors
    /// [`IngressError::Unavailable`]: nothing was stored; the platform is to bring it again.
    async fn take(&self, body: Bytes, ingress: &dyn Ingress) -> Result<(), IngressError>;
}
