//! `/dashboard`: a link that lets its person into the dashboard, in a private chat.

use clifford_core::{clock::Timestamp, people::User, places::Channel};
use clifford_store::{
    StoreError, Tx,
    people::sessions::{self, LINK_FOR},
};

use super::Done;

/// Makes a link, where the dashboard is served.
pub(super) async fn dashboard(
    tx: &mut Tx,
    channel: &Channel,
    user: &User,
    address: Option<&str>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(Done::say(
            "The link lets whoever opens it see what is yours, so I give it in a private chat only. Write to me there.",
        ));
    }
    let Some(address) = address else {
        return Ok(Done::say("There is no dashboard here: it is turned off."));
    };
    let link = sessions::create_link(tx, Some(user.id), now).await?;
    let minutes = LINK_FOR.as_secs() / 60;
    let link = sessions::login_link(address, link.expose());
    Ok(Done::say(format!(
        "{link}\n\nThis link lets you into the dashboard: your conversations, what I remember of you, reminders, files and \
         usage. It is good once, for {minutes} minutes. Give it to nobody: whoever opens it is you."
    )))
}
