//! Messages that stand only while a run is at work: in the place of an interaction's acknowledgement while that lives, else
//! a message of its own, which is edited and at last deleted.
//!
//! A mark at its end tells every process that it is no answer.

use clifford_channel::{Address, DeliveryKey, Part, Passing, SendError};
use reqwest::Method;
use serde_json::Value;

use crate::{
    answer,
    api::Call,
    draft::{edit, is_unknown, living, post},
    drafts::with_status_mark,
    post::{channel, send_error},
    shared::Shared,
};

/// The stand-in for the message in the place of an acknowledgement: no id of one.
const IN_PLACE: &str = "@original";

/// Shows one, or changes the one that stands. `None`: in the place of the acknowledgement stands what must not be
/// replaced.
pub(crate) async fn show(
    shared: &Shared,
    to: &Address,
    shown: Option<&str>,
    part: &Part,
    passing: Passing,
    key: &DeliveryKey,
) -> Result<Option<String>, SendError> {
    let part = match passing {
        Passing::Status => [marked(part)],
        // Its drafts are signals, which know their place.
        Passing::Draft => return Ok(None),
    };
    if let Some(via) = living(shared, to) {
        let is_shown = answer::draft(shared, &via, &part).await.map_err(send_error)?;
        return Ok(is_shown.then(|| IN_PLACE.to_owned()));
    }
    let channel = channel(to)?;
    let posted = match shown.filter(|id| *id != IN_PLACE) {
        Some(id) => edit(shared, channel, id, to, &part, key).await,
        None => post(shared, channel, to, &part, key).await,
    };
    match posted {
        Ok(posted) => match posted.id {
            Some(id) => Ok(Some(id)),
            None => Err(SendError::Rejected(
                "Discord did not tell which message it is".to_owned(),
            )),
        },
        Err(error) if is_unknown(&error) => Err(SendError::Rejected("somebody deleted it".to_owned())),
        Err(error) => Err(send_error(error)),
    }
}

/// Takes it away. In the place of an acknowledgement something else takes its place: a draft, the answer, or a word at
/// the end of the run.
pub(crate) async fn retract(shared: &Shared, to: &Address, shown: &str) -> Result<(), SendError> {
    if shown == IN_PLACE {
        return Ok(());
    }
    let channel = channel(to)?;
    let id: u64 = (shown.parse()).map_err(|_| SendError::Rejected(format!("`{shown}` is no message on Discord")))?;
    let path = format!("/channels/{channel}/messages/{id}");
    let call = Call::new(Method::DELETE, "delete message", &to.place, path);
    match shared.api.call::<Value>(&call).await {
        Err(error) if is_unknown(&error) => Ok(()),
        outcome => outcome.map(drop).map_err(send_error),
    }
}

fn marked(part: &Part) -> Part {
    match part {
        Part::Text {
            text, plain, buttons, ..
        } => Part::Text {
            text: with_status_mark(text),
            plain: plain.clone(),
            rich: None,
            buttons: buttons.clone(),
        },
        other => other.clone(),
    }
}
