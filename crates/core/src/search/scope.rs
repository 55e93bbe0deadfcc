//! The reach of a search, by the person who asks and the place.

use crate::{
    id::{ChannelId, UserId},
    places::Channel,
};

/// The places whose messages somebody may find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The private channels of a person.
    Person(UserId),
    /// One channel: its members read all of it, and its neighbours may have other members.
    Channel(ChannelId),
    /// One channel, if it is a private one of this person.
    Both(UserId, ChannelId),
    /// None.
    Nothing,
}

impl Scope {
    /// The reach of a person who asks in a channel; without a channel, nobody else reads the answer.
    pub fn of(user: Option<UserId>, channel: Option<&Channel>) -> Self {
        match (user, channel) {
            // Somebody else's private channel is read by its own person.
            (Some(user), Some(channel)) if channel.is_private() && channel.user_id == Some(user) => Self::Person(user),
            (_, Some(channel)) => Self::Channel(channel.id),
            (Some(user), None) => Self::Person(user),
            (None, None) => Self::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{ChannelKind, Mode};

    fn channel(kind: ChannelKind, user_id: Option<UserId>) -> Channel {
        Channel {
            id: ChannelId::new(),
            platform: "telegram".into(),
            external_id: "1".into(),
            parent_id: None,
            kind,
            name: None,
            space_id: None,
            user_id,
            enabled: true,
            disabled_reason: None,
            agent_id: None,
            mode: Mode::Run,
            active_context_id: None,
            last_message_at: None,
        }
    }

    #[test]
    fn only_a_person_in_private_finds_more_than_the_channel() {
        let (ada, bob) = (UserId::new(), UserId::new());
        let own = channel(ChannelKind::Private, Some(ada));
        let group = channel(ChannelKind::Group, None);
        let thread = channel(ChannelKind::Thread, None);
        let cases = [
            (Some(ada), Some(&own), Scope::Person(ada)),
            (Some(bob), Some(&own), Scope::Channel(own.id)),
            (None, Some(&own), Scope::Channel(own.id)),
            (Some(ada), Some(&group), Scope::Channel(group.id)),
            (Some(ada), Some(&thread), Scope::Channel(thread.id)),
            (Some(ada), None, Scope::Person(ada)),
            (None, None, Scope::Nothing),
        ];
        for (user, channel, expected) in cases {
            assert_eq!(Scope::of(user, channel), expected);
        }
    }
}
