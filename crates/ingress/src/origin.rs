//! The origin of an event: who speaks and where, as rows, and where that is answered.

use clifford_chat::{
    inbound::{Place, Speaker},
    outbound::Address,
    role::PlatformRole,
};
use clifford_core::{
    clock::Timestamp,
    people::{User, UserRole},
    places::Channel,
};
use clifford_delivery::outbound::{Outbound, PendingDelivery, To};
use clifford_store::{StoreError, Tx, messages, people::users, places::channels};

/// The speaker and the place, as far as the transaction needs them.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) place: Place,
    pub(super) speaker: Speaker,
    pub(super) via: Option<String>,
    pub(super) reply_to: Option<String>,
}

impl Origin {
    /// That of a caller of the API, who writes in a channel of their own.
    pub(super) const fn of_api(place: Place, speaker: Speaker) -> Self {
        Self {
            place,
            speaker,
            via: None,
            reply_to: None,
        }
    }

    /// The speaker's roles, if they are known and the place has such.
    pub(super) fn platform_roles(&self) -> Option<Vec<PlatformRole>> {
        self.place.space.as_ref().and(self.speaker.roles.clone())
    }

    pub(super) fn address(&self) -> Address {
        Address {
            place: self.place.external_id.clone(),
            private: self.place.kind.is_private(),
            reply_to: self.reply_to.clone(),
            via: self.via.clone(),
        }
    }
}

/// Sends a reply to a chat at once, without a run.
pub(super) fn answer(
    outbound: &Outbound,
    origin: &Origin,
    channel: &Channel,
    text: &str,
    now: Timestamp,
) -> (messages::NewOutbound, Option<(PendingDelivery, To)>) {
    let to = reply(origin, channel);
    let (message, pending) = outbound.message(to.clone(), text, now);
    (message, pending.map(|pending| (pending, to)))
}

/// Where an origin is answered.
pub(super) fn reply(origin: &Origin, channel: &Channel) -> To {
    To {
        platform: origin.place.platform,
        channel: channel.id,
        context: channel.active_context_id,
        user: None,
        run: None,
        address: origin.address(),
    }
}

/// The role of a first-time speaker. A speaker in an open place gets no access elsewhere by that; a person at this
/// machine, or with a token, is trusted.
pub(super) fn newcomer(origin: &Origin) -> UserRole {
    if origin.place.platform.is_own() {
        UserRole::Member
    } else {
        UserRole::Stranger
    }
}

/// The person (unless that was looked up already) and the channel of an origin; both are made if they are new.
pub(super) async fn settle(
    tx: &mut Tx,
    origin: &Origin,
    known: Option<User>,
    role: UserRole,
    now: Timestamp,
) -> Result<(User, Channel), StoreError> {
    let user = match known {
        Some(user) => learned(tx, user, origin, now).await?,
        None => users::find_or_create(tx, origin.place.platform, &origin.speaker, role, now).await?,
    };
    let person = (origin.place.kind.is_private()).then_some((user.id, origin.speaker.id.as_str()));
    let channel = channels::find_or_create(tx, &origin.place, person, now).await?;
    Ok((user, channel))
}

/// A person with what their platform tells of them today.
pub(super) async fn learned(tx: &mut Tx, user: User, origin: &Origin, now: Timestamp) -> Result<User, StoreError> {
    let (place, speaker) = (&origin.place, &origin.speaker);
    let user = users::learn_language(tx, user, speaker.language.as_deref(), now).await?;
    match place.kind.is_private() {
        true => users::learn_name(tx, user, place.platform, speaker, now).await,
        false => Ok(user),
    }
}
