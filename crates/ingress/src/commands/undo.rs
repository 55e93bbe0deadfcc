//! `/undo`: takes back what was set or remembered for a person.

use clifford_core::{clock::Timestamp, id::RunId, people::User, places::Channel};
use clifford_engine::run::undoing::{self, Undoer, Undone};
use clifford_store::{StoreError, Tx, runs};
use clifford_text::{Answer, Lang};

use super::Done;

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let undone = match (argument.trim(), channel.active_context_id) {
        ("", Some(context)) => undoing::undo_last(tx, context, user.id, now).await?,
        ("", None) => Undone::Nothing,
        (named, _) => match named.parse::<RunId>() {
            Ok(id) => match runs::get(tx, id).await? {
                Some(run) => undoing::undo(tx, &run, Undoer::User(user.id), now).await?,
                None => Undone::Nothing,
            },
            Err(_) => return Ok(Done::say(lang.say(Answer::UndoUnknown))),
        },
    };
    let text = undone.text(lang);
    Ok(match undone {
        // A reminder may be due again.
        Undone::Done { .. } => Done {
            work_to_claim: true,
            ..Done::say(text)
        },
        Undone::NotTheirs => Done::refuse(text),
        Undone::Nothing | Undone::Already | Undone::TooLate => Done::say(text),
    })
}
