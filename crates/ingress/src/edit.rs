//! Edits: a message that was not answered yet gets its new text.

use clifford_chat::inbound::{Attachment, Edit};
use clifford_core::{clock::Timestamp, id::WorkerId, messages::MessageStatus};
use clifford_store::{
    StoreError, Tx, contexts,
    messages::{self, Message},
    people::users,
    places::channels,
    runs::{self, Lease},
};

use super::message;

/// Stores an edit. A run that has made no step restarts with the new text: its lease is returned, and when it may
/// begin, if not at once. A message stays as it is if a run has taken it up, if it was answered, if its text is
/// unchanged, or if its author is another person.
pub(super) async fn store(
    tx: &mut Tx,
    edit: Edit,
    worker: WorkerId,
    until: Timestamp,
    now: Timestamp,
) -> Result<Option<(Lease, Option<Timestamp>)>, StoreError> {
    let Some(channel) = channels::by_place(tx, edit.place.platform, &edit.place.external_id).await? else {
        return Ok(None);
    };
    let Some(found) = messages::by_platform_id(tx, channel.id, &edit.id).await? else {
        return Ok(None);
    };
    let author = users::by_identity(tx, edit.place.platform, &edit.speaker.id).await?;
    if author.is_none_or(|author| found.user_id != Some(author.id)) {
        return Ok(None);
    }
    if let Some(context) = found.context_id {
        contexts::lock(tx, context).await?;
    }
    // A run may have taken it up until it was locked.
    let Some(known) = messages::get(tx, found.id).await? else {
        return Ok(None);
    };
    let text = message::with_attachments(&edit.text, &attachments(&known));
    let text = message::spoken(&channel, &edit.speaker.name, &text);
    if text == known.content {
        return Ok(None);
    }
    match (known.status, known.run_id) {
        (MessageStatus::Queued, _) => {
            messages::edit(tx, known.id, &text, now).await?;
            Ok(None)
        }
        (MessageStatus::Received, Some(run)) => {
            let input = messages::input_of(tx, run, Some((known.id, text.as_str()))).await?;
            let input: Vec<_> = input.into_iter().map(|(_, text)| text).collect();
            let again = runs::begin_again(tx, run, &input.join("\n"), worker, until, now).await?;
            let Some(again) = again else { return Ok(None) };
            messages::edit(tx, known.id, &text, now).await?;
            let lease = Lease {
                run,
                owner: worker,
                epoch: again.epoch,
            };
            Ok(Some((lease, again.wake_at)))
        }
        _ => Ok(None),
    }
}

/// The files that came with a message.
fn attachments(message: &Message) -> Vec<Attachment> {
    let stored = message.attachments.as_ref().map(|attachments| attachments.0.clone());
    stored
        .and_then(|attachments| serde_json::from_value(attachments).ok())
        .unwrap_or_default()
}
