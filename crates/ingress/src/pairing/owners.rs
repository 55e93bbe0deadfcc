//! Questions to the owners: each gets one in a private chat, in the language that they read there.

use std::collections::HashSet;

use clifford_chat::{outbound::Button, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{MessageId, UserId},
};
use clifford_delivery::outbound::{self, Outbound, To};
use clifford_store::{StoreError, Tx, db::notify, messages, people::reading, places::channels};
use clifford_text::Lang;

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
            address: channel.address(),
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

/// Settles what the owners were asked: each question gives way to what came of it, in its reader's language.
pub(super) async fn settle(
    tx: &mut Tx,
    notices: Vec<MessageId>,
    now: Timestamp,
    settled: impl Fn(Lang) -> String + Send,
) -> Result<(), StoreError> {
    for notice in notices {
        let Some(told) = messages::get(tx, notice).await? else {
            continue;
        };
        if let Some(channel) = channels::get(tx, told.channel_id).await? {
            let lang = reading::by_id(tx, told.user_id, Some(channel.id)).await?;
            let edit = outbound::edit(notice, channel.id, told.user_id, &channel.address(), &settled(lang));
            messages::insert_outbound(tx, &edit, now).await?;
        }
    }
    Ok(())
}
