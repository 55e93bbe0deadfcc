//! `/dashboard`: a link that lets its person into the dashboard, in a private chat.

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, people::User, places::Channel};
use clifford_store::{
    StoreError, Tx,
    people::sessions::{self, LINK_FOR},
};
use clifford_text::{Chats, Lang};

use super::Done;

/// Makes a link, where the dashboard is served.
pub(super) async fn dashboard(
    tx: &mut Tx,
    channel: &Channel,
    user: &User,
    address: Option<&str>,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(Done::say(lang.say(Chats::DashboardInPrivate)));
    }
    let Some(address) = address else {
        return Ok(Done::say(lang.say(
            match channel.platform == Platform::TERMINAL.as_str() {
                true => Chats::DashboardBesideTerminal,
                false => Chats::DashboardOff,
            },
        )));
    };
    let link = sessions::create_link(tx, Some(user.id), now).await?;
    let minutes = (LINK_FOR.as_secs() / 60).to_string();
    let link = sessions::login_link(address, link.expose());
    let told = lang.say(Chats::DashboardLink { minutes });
    Ok(Done::say(format!("{link}\n\n{told}")))
}
