//! Other bots: answered where a place lets them in and they speak to this one, three times in a row at the most. Two bots
//! that answer each other would never end.

use clifford_chat::{
    inbound::{Message, Place},
    platform::Platform,
};
use clifford_store::{StoreError, places::settings};
use dashmap::DashMap;

use super::IngressService;

/// How many messages of bots are answered in a place before a person speaks there again.
const IN_A_ROW: u32 = 3;

/// How many messages of bots were answered since a person spoke, by place. What is lost with the process lets a few more
/// in.
#[derive(Default)]
pub(super) struct Exchanges(DashMap<(Platform, String), u32>);

impl Exchanges {
    /// A person speaks there.
    pub(super) fn end(&self, place: &Place) {
        if !self.0.is_empty() {
            self.0.remove(&(place.platform, place.external_id.clone()));
        }
    }

    /// Counts one; `false`: there were enough.
    fn take(&self, place: &Place) -> bool {
        let mut count = self.0.entry((place.platform, place.external_id.clone())).or_default();
        *count = count.saturating_add(1);
        *count <= IN_A_ROW
    }
}

impl IngressService {
    /// Whether a message of another bot is answered: it mentions or answers this one, in a place that lets bots in.
    pub(super) async fn answers_bot(&self, message: &Message) -> Result<bool, StoreError> {
        let (place, addressed) = (&message.place, message.addressed);
        if place.kind.is_private() || message.backfilled || !(addressed.mention || addressed.reply) {
            return Ok(false);
        }
        let rules = settings::rules(&mut self.db.read_local().await?, place).await?;
        let lets_in = rules.other_bots && rules.answers(true) && rules.admits(&message.speaker, None);
        Ok(lets_in && self.exchanges.take(place))
    }
}

#[cfg(test)]
mod tests {
    use clifford_chat::inbound::PlaceKind;

    use super::*;

    #[test]
    fn three_in_a_row_are_enough_until_a_person_speaks() {
        let place = |id: &str| Place {
            platform: Platform::new("discord"),
            external_id: id.to_owned(),
            parent: None,
            kind: PlaceKind::Group,
            name: None,
            space: None,
        };
        let (here, there) = (place("1"), place("2"));
        let exchanges = Exchanges::default();
        let taken = [(); 4].map(|()| exchanges.take(&here));
        assert_eq!(taken, [true, true, true, false]);
        assert!(exchanges.take(&there));
        exchanges.end(&here);
        assert!(exchanges.take(&here));
    }
}
