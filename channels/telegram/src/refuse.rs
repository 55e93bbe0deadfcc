//! Refusals that there is no press whose answer could tell: of commands that one person alone sees, and of questions from
//! chats that the bot is no member of.

use std::time::Duration;

use clifford_channel::{Address, Inbound, Part};

use crate::{Telegram, alone::Alone, guest, send};

/// How long that may take: other updates wait behind it.
const WITHIN: Duration = Duration::from_secs(5);

/// Tells the person who gave a command that nobody else sees, or who asks as a guest, why they are not answered.
pub(crate) async fn tell(telegram: &Telegram, event: &Inbound, text: &str) {
    let (place, via) = match event {
        Inbound::Command(command) => (&command.place, &command.via),
        Inbound::Message(message) => (&message.place, &message.via),
        _ => return,
    };
    let to = Address {
        place: place.external_id.clone(),
        private: false,
        reply_to: None,
        via: via.clone(),
    };
    let plain = text.replace('`', "");
    let part = Part::Text {
        text: plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        plain,
        rich: None,
        buttons: Vec::new(),
    };
    let sending = async {
        match guest::query(&to) {
            Some(query) => guest::answer(telegram, &to, query, &part).await,
            None => send::part(&telegram.api, &telegram.pace, &to, &part).await,
        }
    };
    if guest::query(&to).is_none() && Alone::read(to.via.as_deref()).is_none() {
        return;
    }
    match tokio::time::timeout(WITHIN, sending).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "failed to send a refusal"),
        Err(_) => tracing::debug!("failed to send a refusal in time"),
    }
}
