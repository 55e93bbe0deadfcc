//! The order of updates: those of one chat go in one after the other.

use clifford_channel::Inbound;

/// Events of one lane are accepted one after the other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Place(String),
    Alone,
}

impl Lane {
    /// The lane of an event: its chat, whatever the topic.
    pub(crate) fn of(event: &Inbound) -> Self {
        let place = match event {
            Inbound::Message(message) => &message.place,
            Inbound::Command(command) => &command.place,
            Inbound::Edit(edit) => &edit.place,
            Inbound::Joined(joined) => &joined.place,
            Inbound::Deleted(deleted) => return Self::Place(chat_of(&deleted.place).to_owned()),
            Inbound::Reaction(reaction) => return Self::Place(chat_of(&reaction.place).to_owned()),
            Inbound::Left(left) => {
                let chat = left.space.as_ref().or(left.place.as_ref());
                return chat.map_or(Self::Alone, |chat| Self::Place(chat.clone()));
            }
            Inbound::Renamed(renamed) => {
                return renamed
                    .place
                    .as_ref()
                    .map_or(Self::Alone, |place| Self::Place(chat_of(place).to_owned()));
            }
            // Messages under the new id come behind it.
            Inbound::Moved(moved) => return Self::Place(moved.to.clone()),
            Inbound::Unreadable(_) => return Self::Alone,
        };
        let space = place.space.as_ref().map(|space| space.external_id.as_str());
        Self::Place(space.unwrap_or_else(|| chat_of(&place.external_id)).to_owned())
    }
}

/// The chat of a place, which may be a topic of it.
fn chat_of(place: &str) -> &str {
    place.split_once(':').map_or(place, |(chat, _)| chat)
}
