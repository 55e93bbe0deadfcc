//! Questions that are settled: each message that shows one is changed, says what was decided, and has no buttons left.
//!
//! The change is an outbox row of the transaction that settles the question, so it survives what the answer survives.
//! It goes out behind the question, also where that was not delivered yet.

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, id::RunId};
use clifford_delivery::outbound;
use clifford_store::{StoreError, Tx, db::notify, messages, people::reading, runs::approvals};
use clifford_text::Lang;

/// Changes the messages that show a run's question, in the transaction that settles it: to what is said, in the language
/// of whoever was asked. Terminals and callers of the API see it by the run.
pub async fn settle(tx: &mut Tx, run: RunId, said: impl Fn(Lang) -> String, now: Timestamp) -> Result<(), StoreError> {
    let shown = approvals::unsettled(tx, run).await?;
    for shown in &shown {
        if shown.platform.parse().is_ok_and(Platform::is_own) {
            continue;
        }
        let lang = reading::by_id(tx, shown.user_id, Some(shown.channel_id)).await?;
        let text = said(lang);
        let edit = outbound::edit(shown.id, shown.channel_id, shown.user_id, &shown.address.0, &text);
        messages::insert_outbound(tx, &edit, now).await?;
    }
    match shown.is_empty() {
        true => Ok(()),
        false => notify::work(tx).await,
    }
}
