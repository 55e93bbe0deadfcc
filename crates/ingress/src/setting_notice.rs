//! The word in a place that its settings were changed elsewhere: on the dashboard, or by the API. In a chat the answer to
//! `/settings` is that word. It is stored in the transaction of the change, and goes out like any answer. Of a space, the
//! channel hears it in which somebody wrote last, threads aside.

use clifford_core::{clock::Timestamp, id::UserId, places::Channel};
use clifford_delivery::outbound::{Outbound, PendingDelivery, To};
use clifford_markup::inline::inline;
use clifford_store::{
    StoreError, Tx,
    db::notify,
    messages,
    people::{reading, users},
    places::channels,
};
use clifford_text::Setting;
use clifford_tools::settings::catalogue::{Scope, SettingSpec};

use crate::commands::settings;

/// A setting with its value before and now, as they are stored; `None`: it is not set.
pub struct ChangedSetting {
    /// The setting.
    pub known: &'static SettingSpec,
    /// Before.
    pub old: Option<String>,
    /// Now.
    pub new: Option<String>,
}

/// Stores one message that tells of all changes; `by`: who made them, the operator without. `None`: nothing was changed,
/// or there is no place where others would hear it.
///
/// # Errors
/// Those of the database.
pub async fn tell(
    tx: &mut Tx,
    outbound: &Outbound,
    scope: Scope,
    changes: &[ChangedSetting],
    by: Option<UserId>,
    now: Timestamp,
) -> Result<Option<PendingDelivery>, StoreError> {
    let changes: Vec<_> = changes.iter().filter(|change| change.old != change.new).collect();
    let place = if changes.is_empty() {
        None
    } else {
        place(tx, scope).await?
    };
    let Some(channel) = place else {
        return Ok(None);
    };
    let lang = reading::by_id(tx, None, Some(channel.id)).await?;
    let person = match by {
        // By the name that they have there: nobody learns another one.
        Some(id) => (users::identities(tx, id).await?.into_iter())
            .find(|identity| identity.platform == channel.platform)
            .map(|identity| inline(&identity.name)),
        None => None,
    };
    let person = person.unwrap_or_else(|| lang.say(Setting::Somebody));
    let sentences: Vec<_> = (changes.iter())
        .map(|change| {
            let values = [change.old.as_deref(), change.new.as_deref()];
            settings::changed(change.known, values, &person, (&channel, scope), lang)
        })
        .collect();
    let (message, pending) = outbound.message(To::everybody_in(&channel)?, &sentences.join("\n"), now);
    messages::insert_outbound(tx, &message, now).await?;
    if pending.is_none() {
        // Another process serves the platform.
        notify::work(tx).await?;
    }
    Ok(pending)
}

/// Where people hear of it whom it concerns.
async fn place(tx: &mut Tx, scope: Scope) -> Result<Option<Channel>, StoreError> {
    let channel = match scope {
        Scope::Channel(id) => channels::get(tx, id).await?,
        Scope::Space(id) => channels::last_of_space(tx, id).await?,
        Scope::Bot | Scope::Agent(_) | Scope::User(_) => None,
    };
    Ok(channel.filter(|channel| channel.enabled && !channel.is_private() && !channel.only_answers()))
}
