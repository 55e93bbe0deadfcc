//! The completions of an argument, for a person who may speak there.

use clifford_chat::completion::{Choice, Completion};
use clifford_core::access::Entry;
use clifford_store::{StoreError, people::users, places::channels};

use super::IngressService;
use crate::commands;

impl IngressService {
    /// By the rules by which the command itself would be taken; for everybody else there is nothing to choose.
    pub(super) async fn choices(&self, asked: &Completion) -> Result<Vec<Choice>, StoreError> {
        let (place, speaker) = (&asked.place, &asked.speaker);
        if speaker.is_bot {
            return Ok(Vec::new());
        }
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, place.platform, &speaker.id).await?;
        let role = user.as_ref().map(|user| user.role);
        if self.policy(place.platform).entry(place, &speaker.id, role) != Entry::Welcome {
            return Ok(Vec::new());
        }
        let channel = channels::by_place(&mut conn, place.platform, &place.external_id).await?;
        if channel
            .as_ref()
            .is_some_and(clifford_core::places::Channel::is_turned_off)
        {
            return Ok(Vec::new());
        }
        commands::complete(&mut conn, asked, channel.as_ref(), user.as_ref()).await
    }
}
