//! Questions that are settled: each message that shows one is changed, says what was decided, and has no buttons left.
//!
//! The change is an outbox row of the transaction that settles the question, so it survives what the answer survives.
//! It goes out behind the question, also where that was not delivered yet.

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, id::RunId};
use clifford_delivery::outbound;
use clifford_markup::{inline::inline, shortened};
use clifford_store::{StoreError, Tx, db::notify, messages, people::reading, runs::approvals};
use clifford_text::{Approval, Lang};

use super::answering::{ApprovalAnswer, By};

/// How much of a person's name is shown.
const NAME: usize = 40;
/// An answer in a sentence: what was decided, and by whom.
pub fn decided(answer: &ApprovalAnswer, lang: Lang) -> String {
    let person = match &answer.by {
        By::User(user) | By::Manager(user, _) => inline(&shortened(&user.name, NAME)),
        By::Operator => lang.say(Approval::Operator),
    };
    lang.say(match (answer.approved, answer.always) {
        (true, false) => Approval::ApprovedBy { person },
        (true, true) => Approval::ApprovedAlwaysBy { person },
        (false, _) => Approval::DeniedBy { person },
    })
}

/// Why a run that was cancelled asks no more.
pub fn cancelled(reason: &str) -> Approval {
    match reason {
        super::cancel::EDITED => Approval::QuestionEdited,
        super::cancel::INTERRUPTED => Approval::Interrupted,
        super::cancel::PARENT_ENDED => Approval::NotNeeded,
        _ => Approval::Stopped,
    }
}

/// Changes the messages that show a run's question, in the transaction that settles it: to what is said, in the language
/// of whoever was asked. Terminals and callers of the
/// API see it by the run.
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

#[cfg(test)]
mod tests {
    use clifford_core::id::RunId;

    use super::*;

    #[test]
    fn an_answer_says_what_was_decided_and_by_whom() {
        let said = |approved: bool, always: bool| {
            let answer = ApprovalAnswer {
                run: RunId::new(),
                code: None,
                approved,
                words: Some("not today".to_owned()),
                always,
                by: By::Operator,
            };
            decided(&answer, Lang::English)
        };
        assert_eq!(said(true, false), "\u{2705} **Approved** by the operator.");
        assert_eq!(
            said(true, true),
            "\u{2705} **Approved** by the operator, from now on in this conversation."
        );
        assert_eq!(said(false, false), "\u{274c} **Denied** by the operator.");
        let why = Lang::English.say(cancelled(super::super::cancel::INTERRUPTED));
        assert!(why.ends_with("a newer message took its place."), "{why}");
    }
}
