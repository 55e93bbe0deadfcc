//! Feedback on an answer by a reaction or a button: kept with the run that gave it.
//!
//! Reactions to other messages are none of the bot's business, and nothing of them is stored.

use std::time::Duration;

use clifford_chat::{
    inbound::{Accepted, Place, Reacted, Reaction, Space},
    platform::Platform,
};
use clifford_core::{
    access::{self, Audience, Entry, PlaceRules},
    clock::Timestamp,
    people::UserRole,
    runs::GivenBy,
};
use clifford_store::{
    StoreError, Tx,
    people::users,
    places::settings,
    runs::feedback::{self, GivenVerdict, Rated},
};
use dashmap::DashMap;

use super::IngressService;

/// How often an answer that is under way is looked for, and after what time: other events of its place wait meanwhile.
static WAITS: [Duration; 6] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1_500),
];

/// How many of them are worth it in a place after all of them were in vain: many react to what is none of the bot's.
const SHORT: usize = 2;
/// For how long.
const IN_VAIN: Duration = Duration::from_secs(60);
/// How many places are remembered before those whose time is over are forgotten.
const CROWD: usize = 1_000;

/// The places in which an answer was waited for that did not come, and when.
#[derive(Default)]
pub(super) struct VainWaits(DashMap<(Platform, String), Timestamp>);

impl VainWaits {
    fn waits(&self, platform: Platform, place: &str, now: Timestamp) -> &'static [Duration] {
        let last = self.0.get(&(platform, place.to_owned()));
        match last.is_some_and(|at| at.was_within(IN_VAIN, now)) {
            true => WAITS.split_at(SHORT).0,
            false => &WAITS,
        }
    }

    fn note(&self, platform: Platform, place: &str, now: Timestamp) {
        if self.0.len() > CROWD {
            self.0.retain(|_, at| at.was_within(IN_VAIN, now));
        }
        self.0.insert((platform, place.to_owned()), now);
    }
}

impl IngressService {
    pub(super) async fn reaction(&self, mut reaction: Reaction) -> Result<Accepted, StoreError> {
        if reaction.speaker.is_bot {
            return Ok(Accepted::Ignored);
        }
        let Some(rated) = self.rated(&reaction).await? else {
            return Ok(Accepted::Ignored);
        };
        let place = Place {
            platform: reaction.platform,
            external_id: rated.external_id.clone(),
            parent: rated.parent.clone(),
            kind: rated.kind.into(),
            name: None,
            space: rated.space.clone().map(|external_id| Space {
                external_id,
                name: None,
            }),
        };
        self.learn_roles(&place, &mut reaction.speaker).await?;
        let allowed = Allowed {
            audience: self.audience(reaction.platform),
            rules: settings::rules(&mut self.db.read().await?, &place).await?,
            place,
        };
        let now = self.clock.now();
        let taken = self
            .db
            .write(move |tx| Box::pin(store(tx, allowed, reaction, rated, now)));
        Ok(if taken.await? {
            Accepted::Stored
        } else {
            Accepted::Ignored
        })
    }
}

impl IngressService {
    /// The answer that a reaction is about. One whose id the platform has just given away, and that is not stored yet, is
    /// waited for.
    async fn rated(&self, reaction: &Reaction) -> Result<Option<Rated>, StoreError> {
        let (platform, place) = (reaction.platform, reaction.place.as_str());
        let waits = self.vain_waits.waits(platform, place, self.clock.now());
        let is_whole = waits.len() == WAITS.len();
        let mut waits = waits.iter();
        loop {
            let mut conn = self.db.read_local().await?;
            let mut rated = feedback::rated(&mut conn, platform, place, &reaction.message).await?;
            let is_awaited = rated.is_none() && feedback::is_under_way(&mut conn, platform, place).await?;
            if rated.is_none() && !is_awaited {
                // It may have arrived between the two.
                rated = feedback::rated(&mut conn, platform, place, &reaction.message).await?;
            }
            drop(conn);
            if !is_awaited {
                return Ok(rated);
            }
            match waits.next() {
                Some(wait) => tokio::time::sleep(*wait).await,
                None if is_whole => {
                    self.vain_waits.note(platform, place, self.clock.now());
                    return Ok(rated);
                }
                None => return Ok(rated),
            }
        }
    }
}

/// The people who may use the bot in a place.
struct Allowed {
    place: Place,
    audience: Audience,
    rules: PlaceRules,
}

/// Stores a verdict of somebody who may use the bot there; `false`: it does not count.
async fn store(
    tx: &mut Tx,
    allowed: Allowed,
    reaction: Reaction,
    rated: Rated,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let (platform, speaker) = (reaction.platform, &reaction.speaker);
    let known = users::by_identity(tx, platform, &speaker.id).await?;
    let role = known.as_ref().map(|user| user.role);
    let entry = access::entry_here(&allowed.audience, &allowed.place, speaker, role, &allowed.rules);
    if entry != Entry::Welcome || !allowed.rules.admits(speaker, role) {
        return Ok(false);
    }
    let user = match known {
        Some(user) => user,
        // An account that the platform does not name is of a person who never said a word here.
        None if speaker.name.is_empty() => return Ok(false),
        None => users::find_or_create(tx, platform, speaker, UserRole::Stranger, now).await?,
    };
    match reaction.reacted {
        Reacted::Stands(Some(verdict)) | Reacted::Given(verdict) => {
            let given = GivenVerdict {
                verdict,
                by: GivenBy::Reaction,
            };
            feedback::put(tx, rated.run_id, user.id, given, now).await?;
        }
        // Feedback by a button stays.
        Reacted::Stands(None) => feedback::withdraw(tx, rated.run_id, user.id, None).await?,
        Reacted::Withdrawn(verdict) => feedback::withdraw(tx, rated.run_id, user.id, Some(verdict)).await?,
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_waited_for_as_long_again_a_minute_after_it_was_in_vain_and_shortly_meanwhile() {
        let (vain, platform) = (VainWaits::default(), Platform::new("telegram"));
        let waits = |place: &str, seconds: i64| vain.waits(platform, place, Timestamp(seconds * 1_000));
        assert_eq!(waits("1", 0), WAITS);
        vain.note(platform, "1", Timestamp(3_000));
        for (place, seconds, expected) in [
            ("1", 3, &WAITS[..2]),
            ("1", 62, &WAITS[..2]),
            ("1", 63, &WAITS[..]),
            ("2", 3, &WAITS[..]),
        ] {
            assert_eq!(waits(place, seconds), expected, "{place} {seconds}");
        }
    }
}
