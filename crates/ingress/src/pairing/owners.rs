//! Questions to the owners: each gets one in a private chat, in the language that they read there.

use std::collections::HashSet;

use clifford_chat::{outbound::Button, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{MessageId, UserId},
};
use clifford_delivery::outbound::{Outbound, To};
use clifford_store::{StoreError, Tx, db::notify, messages, people::reading, places::channels};
use clifford_text::Lang;

use super::deciding::private;

/// Asks each owner what `question` says in their language, with its buttons. Returns the messages; none: no owner has a
/// private chat.
pub(super) async fn ask(
    tx: &mut Tx,
    outbound: &Outbound,
    now: Timestamp,
    question: impl Fn(Lang) -> (String, Vec<Button>) + Send,
) -> Result<Vec<MessageId>, StoreError> {
    let (mut owners, mut asked) = (HashSet::<UserId>::new(), Vec::new());
    for channel in channels::of_owners(tx).await? {
        let (Some(owner), Ok(platform)) = (channel.user_id, channel.platform.parse::<Platform>()) else {
            continue;
        };
        if !owners.insert(owner) {
            continue;
        }
        let (text, buttons) = question(reading::by_id(tx, Some(owner), Some(channel.id)).await?);
        let to = To {
            platform,
            channel: channel.id,
            context: None,
            user: Some(owner),
            run: None,
            address: private(&channel),
        };
        let (mut message, _) = outbound.message_with(to, &text, buttons, None, now);
        // Whichever process serves the owner's platform claims it.
        message.lease = None;
        messages::insert_outbound(tx, &message, now).await?;
        asked.push(message.id);
    }
    if !asked.is_empty() {
        notify::work(tx).await?;
    }
    Ok(asked)
}
