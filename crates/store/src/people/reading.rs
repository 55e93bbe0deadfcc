//! The language in which somebody reads the bot's own sentences: their own, else that of the place.

use clifford_chat::inbound::Place;
use clifford_core::{
    id::{ChannelId, UserId},
    people::User,
    places::Channel,
};
use clifford_text::Lang;

use crate::{
    Conn, StoreError,
    people::users,
    places::{channels, settings},
};

/// The language of a person (if one reads it) in a channel.
pub async fn of(conn: &mut Conn, user: Option<&User>, channel: Option<ChannelId>) -> Result<Lang, StoreError> {
    let own = user.and_then(|user| user.language.as_deref());
    match (own.and_then(Lang::of), channel) {
        (Some(own), _) => Ok(own),
        (None, None) => Ok(Lang::default()),
        (None, Some(channel)) => {
            let set = settings::language_of(conn, channel).await?;
            Ok(Lang::for_reader(own, set.as_deref()))
        }
    }
}

/// The same by the person's id; without one, by the person whose private channel it is.
pub async fn by_id(conn: &mut Conn, user: Option<UserId>, channel: Option<ChannelId>) -> Result<Lang, StoreError> {
    let user = match (user, channel) {
        (Some(id), _) => users::get(conn, id).await?,
        (None, Some(channel)) => match channels::get(conn, channel).await?.and_then(|channel| channel.user_id) {
            Some(id) => users::get(conn, id).await?,
            None => None,
        },
        (None, None) => None,
    };
    of(conn, user.as_ref(), channel).await
}

/// The language of everybody in a channel; `user`: the person who gave cause to it.
pub async fn of_everybody(conn: &mut Conn, channel: &Channel, user: Option<&User>) -> Result<Lang, StoreError> {
    let own = user.and_then(|user| user.language.as_deref());
    if channel.is_private() {
        return of(conn, user, Some(channel.id)).await;
    }
    let set = settings::language_of(conn, channel.id).await?;
    Ok(Lang::for_place(set.as_deref(), own))
}

/// The language of a person with this setting in a place, and that of everybody there.
pub async fn at(conn: &mut Conn, own: Option<&str>, place: &Place) -> Result<(Lang, Lang), StoreError> {
    if let (Some(own), true) = (own.and_then(Lang::of), place.kind.is_private()) {
        return Ok((own, own));
    }
    let set = settings::language_at(conn, place).await?;
    let set = set.as_deref();
    Ok((Lang::for_reader(own, set), Lang::for_place(set, own)))
}
