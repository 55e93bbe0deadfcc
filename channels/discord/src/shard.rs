//! Which connection to the gateway tells of what.
//!
//! <https://discord.com/developers/docs/events/gateway#sharding>

use clifford_channel::Served;

/// One of the connections over which the servers are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Which one, from 0.
    pub(crate) place: u32,
    /// How many there are.
    pub(crate) of: u32,
}

impl Shard {
    /// Whether it tells of a server; without one, of direct messages.
    pub(crate) fn tells_of(self, guild: Option<u64>) -> bool {
        let place = guild.map_or(0, |guild| (guild >> 22) % u64::from(self.of));
        place == u64::from(self.place)
    }

    /// Whether it is the one that missed what was said in a place. Where the place's server is not known, all look.
    pub(crate) fn missed(self, served: &Served) -> bool {
        if served.kind.is_private() {
            return self.tells_of(None);
        }
        let guild = served.space.as_deref().and_then(|space| space.parse().ok());
        guild.is_none_or(|guild| self.tells_of(Some(guild)))
    }
}

#[cfg(test)]
mod tests {
    use clifford_channel::PlaceKind;

    use super::*;

    #[test]
    fn a_server_belongs_to_one_shard_and_direct_messages_to_the_first() {
        let shards = [0, 1, 2].map(|place| Shard { place, of: 3 });
        let telling = |guild| shards.map(|shard| shard.tells_of(guild));
        assert_eq!(telling(None), [true, false, false]);
        assert_eq!(telling(Some(7 << 22 | 12_345)), [false, true, false]);
        assert_eq!(telling(Some(8 << 22)), [false, false, true]);
    }

    #[test]
    fn a_place_whose_server_is_not_known_is_looked_at_by_all() {
        let served = |kind, space: Option<&str>| Served {
            external_id: "1".to_owned(),
            kind,
            space: space.map(str::to_owned),
            last_message_id: None,
        };
        let missing = |served| [0, 1].map(|place| Shard { place, of: 2 }.missed(&served));
        assert_eq!(missing(served(PlaceKind::Private, None)), [true, false]);
        assert_eq!(missing(served(PlaceKind::Group, Some("4194304"))), [false, true]);
        assert_eq!(missing(served(PlaceKind::Group, None)), [true, true]);
    }
}
