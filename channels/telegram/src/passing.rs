//! Messages that stand only while a run is at work: edited in place where the rates have room, and deleted, or edited into
//! the answer.

use clifford_channel::{Address, Part, Passing, SendError};

use crate::{
    api::Api,
    pace::Pace,
    place::Target,
    send::{self, send_error},
};

/// Shows one, or changes the one that stands; `None`: messages that must arrive need the room.
pub(crate) async fn show(
    api: &Api,
    pace: &Pace,
    to: &Address,
    shown: Option<&str>,
    part: &Part,
    passing: Passing,
) -> Result<Option<String>, SendError> {
    let target = Target::of(to)?;
    if !pace.leisure(target.chat.0, target.private) {
        return Ok(None);
    }
    let Some(id) = shown else {
        let sent = send::send_status(api, &target, part, passing).await;
        let sent = sent.map_err(|error| send_error(error, to, &target, pace))?;
        return match sent.id {
            Some(id) => Ok(Some(id)),
            None => Err(SendError::Rejected(
                "Telegram did not tell which message it is".to_owned(),
            )),
        };
    };
    send::changed(api, pace, to, &target, id, part).await?;
    Ok(Some(id.to_owned()))
}
