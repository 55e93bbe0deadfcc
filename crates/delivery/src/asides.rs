//! Requests to a platform outside of the outbox: the answer is waited for, and nothing of it is stored or tried again.

use clifford_channel::Channel;
use clifford_chat::{
    error::SendError,
    inbound::{Place, Quoted},
    outbound::NewThread,
};

use super::Delivery;

impl Delivery {
    /// Deletes what somebody wrote, where the platform lets the bot.
    ///
    /// # Errors
    /// It stays where it is.
    pub async fn delete(&self, place: &Place, message: &str) -> Result<(), SendError> {
        self.connected(place)?.delete(&place.external_id, message).await
    }

    /// Opens a thread for a question that was asked in a place, and returns the thread's id as a place.
    ///
    /// # Errors
    /// There is none.
    pub async fn open_thread(&self, place: &Place, thread: &NewThread) -> Result<String, SendError> {
        self.connected(place)?.open_thread(&place.external_id, thread).await
    }

    /// The message at which a thread begins, if it begins at one.
    ///
    /// # Errors
    /// The platform does not tell.
    pub async fn thread_starter(&self, thread: &Place) -> Result<Option<Quoted>, SendError> {
        self.connected(thread)?.thread_starter(thread).await
    }

    fn connected(&self, place: &Place) -> Result<&dyn Channel, SendError> {
        let channel = self.inner.channels.get(&place.platform);
        let channel = channel.ok_or_else(|| SendError::Rejected(format!("{} is not connected", place.platform)))?;
        Ok(channel.as_ref())
    }
}
