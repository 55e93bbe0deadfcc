//! The shared places in which every message is answered because their managers set it so: looked up every few seconds,
//! for most messages in groups are not for the bot.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clifford_chat::inbound::Place;
use clifford_core::clock::Timestamp;
use clifford_store::{Db, StoreError, places::settings};

/// How long a look-up holds.
const HOLDS: Duration = Duration::from_secs(3);

/// The places, by platform and the platform's id of a channel or space.
#[derive(Debug, Default)]
pub(super) struct AlwaysPlaces(Mutex<Option<CachedPlaces>>);

#[derive(Debug)]
struct CachedPlaces {
    at: Timestamp,
    places: HashSet<(String, String)>,
}

impl CachedPlaces {
    fn holds(&self, place: &Place, now: Timestamp) -> Option<bool> {
        let is_fresh = self.at <= now && now.since(self.at) < HOLDS;
        let has = |id: &str| {
            self.places
                .contains(&(place.platform.as_str().to_owned(), id.to_owned()))
        };
        let space = place.space.as_ref().map(|space| space.external_id.as_str());
        let around = [Some(place.external_id.as_str()), place.parent.as_deref(), space];
        is_fresh.then(|| !self.places.is_empty() && around.into_iter().flatten().any(has))
    }
}

impl AlwaysPlaces {
    /// Whether a place may be one of them: its own rules say so for sure.
    pub(super) async fn holds(&self, db: &Db, place: &Place, now: Timestamp) -> Result<bool, StoreError> {
        if place.kind.is_private() {
            return Ok(false);
        }
        let known = self.known().as_ref().and_then(|known| known.holds(place, now));
        if let Some(holds) = known {
            return Ok(holds);
        }
        let places = settings::always(&mut db.read_local().await?).await?;
        let known = CachedPlaces {
            at: now,
            places: places.into_iter().collect(),
        };
        let holds = known.holds(place, now).unwrap_or(false);
        *self.known() = Some(known);
        Ok(holds)
    }

    /// A setting was changed: the next message looks again.
    pub(super) fn changed(&self) {
        *self.known() = None;
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Option<CachedPlaces>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
