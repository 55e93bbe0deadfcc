//! Pressed buttons: the commands that they give.
//!
//! Only what is needed is read: the message below which a button stands may hold anything.

use clifford_channel::{Button, Command, Inbound, Place};

use super::{created_at, interaction::InteractionPayload};

/// The command of a press; `None` if the button is not the bot's. `via` leads the answer back to the press, if that was
/// acknowledged.
pub(crate) fn press(payload: &InteractionPayload, place: Place, via: Option<String>) -> Option<Inbound> {
    let data = payload.pressed()?;
    let (_, command) = Button::behind(&data);
    let words = payload.written();
    let (name, argument) = Button::pressed(format!("{command} {words}").trim_end())?;
    Some(Inbound::Command(Command {
        place,
        speaker: payload.speaker.clone(),
        id: payload.id.to_string(),
        name,
        argument,
        sent_at: created_at(payload.id),
        via,
        answered_alone: payload.is_below_private(),
        below: None,
    }))
}

#[cfg(test)]
#[path = "component_tests.rs"]
mod tests;
