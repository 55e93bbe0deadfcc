//! Refusals of commands that one person alone sees: there is no press whose answer could tell them.

use std::time::Duration;

use clifford_channel::{Address, Inbound, Part};

use crate::{Telegram, alone::Alone, send};

/// How long that may take: other updates wait behind it.
const WITHIN: Duration = Duration::from_secs(5);

/// Tells the person who gave a command that nobody else sees why it is not answered.
pub(crate) async fn tell_alone(telegram: &Telegram, event: &Inbound, text: &str) {
    let Inbound::Command(command) = event else { return };
    if Alone::read(command.via.as_deref()).is_none() {
        return;
    }
    let to = Address {
        place: command.place.external_id.clone(),
        private: false,
        reply_to: None,
        via: command.via.clone(),
    };
    let plain = text.replace('`', "");
    let part = Part::Text {
        text: plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        plain,
        rich: None,
        buttons: Vec::new(),
    };
    let sent = send::part(&telegram.api, &telegram.pace, &to, &part);
    match tokio::time::timeout(WITHIN, sent).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "failed to send a refusal"),
        Err(_) => tracing::debug!("failed to send a refusal in time"),
    }
}
