//! Questions that are settled: each message that shows one is changed, says what was decided, and has no buttons left.
//!
//! The change is an outbox row of the transaction that settles the question, so it survives what the answer survives.
//! It goes out behind the question, also where that was not delivered yet.

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, id::RunId};
use clifford_delivery::outbound;
use clifford_markup::{inline::inline, shortened};
use clifford_store::{StoreError, Tx, db::notify, messages, runs::approvals};

use super::answering::{ApprovalAnswer, By};

/// How much of a person's name is shown.
const NAME: usize = 40;
/// Nobody answered in time.
pub const UNANSWERED: &str = "\u{231b} **Not answered** in time.";

/// An answer in a sentence: what was decided, and by whom.
pub fn decided(answer: &ApprovalAnswer) -> String {
    let who = match &answer.by {
        By::User(user) | By::Manager(user, _) => inline(&shortened(&user.name, NAME)),
        By::Operator => "the operator".to_owned(),
    };
    match (answer.approved, answer.always) {
        (true, false) => format!("\u{2705} **Approved** by {who}."),
        (true, true) => format!("\u{2705} **Approved** by {who}, from now on in this conversation."),
        (false, _) => format!("\u{274c} **Denied** by {who}."),
    }
}

/// Why a run that was cancelled asks no more.
pub fn cancelled(reason: &str) -> String {
    let why = match reason {
        super::cancel::EDITED => "its question was edited",
        super::cancel::INTERRUPTED => "a newer message took its place",
        super::cancel::PARENT_ENDED => "it is not needed any more",
        _ => "I was stopped",
    };
    format!("\u{23f9}\u{fe0f} **Not answered**: {why}.")
}

/// Changes the messages that show a run's question, in the transaction that settles it. Terminals and callers of the
/// API see it by the run.
pub async fn settle(tx: &mut Tx, run: RunId, text: &str, now: Timestamp) -> Result<(), StoreError> {
    let shown = approvals::unsettled(tx, run).await?;
    for shown in &shown {
        if shown.platform.parse().is_ok_and(Platform::is_own) {
            continue;
        }
        let edit = outbound::edit(shown.id, shown.channel_id, shown.user_id, &shown.address.0, text);
        messages::insert_outbound(tx, &edit, now).await?;
    }
    match shown.is_empty() {
        true => Ok(()),
        false => notify::work(tx).await,
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::id::RunId;

    use super::*;

    #[test]
    fn an_answer_says_what_was_decided_and_by_whom() {
        let said = |approved: bool, always: bool| {
            decided(&ApprovalAnswer {
                run: RunId::new(),
                code: None,
                approved,
                words: Some("not today".to_owned()),
                always,
                by: By::Operator,
            })
        };
        assert_eq!(said(true, false), "\u{2705} **Approved** by the operator.");
        assert_eq!(
            said(true, true),
            "\u{2705} **Approved** by the operator, from now on in this conversation."
        );
        assert_eq!(said(false, false), "\u{274c} **Denied** by the operator.");
        let why = cancelled(super::super::cancel::INTERRUPTED);
        assert!(why.ends_with("a newer message took its place."), "{why}");
    }
}
