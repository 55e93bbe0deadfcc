//! How a conversation is cut for the memory writer: in pieces, and a piece by its people.

use std::collections::BTreeMap;

use crate::{
    id::{MessageId, UserId},
    memory::rows::SourceMessage,
    messages::Direction,
};

/// The most characters that are read at a time.
pub const MOST_CHARACTERS: u64 = 24_000;

/// How many of these messages are read at a time, of at most `most`, and as long together as `room` by `weight`; at
/// least one, if there is one.
pub fn length(said: &[SourceMessage], most: usize, room: u64, weight: impl Fn(&str) -> u64) -> usize {
    let room = room.min(MOST_CHARACTERS);
    let mut sum = 0;
    let fitting = said
        .iter()
        .take(most.max(1))
        .take_while(|said| {
            sum += weight(&said.content);
            sum <= room
        })
        .count();
    fitting.max(1).min(said.len())
}

/// Each person's unread messages, with the answers to them. Messages that failed to be delivered are left out.
///
/// Each gets only messages of their own: nobody puts words into another's mouth.
pub fn by_person(
    said: &[SourceMessage],
    remembered_through: Option<MessageId>,
) -> BTreeMap<UserId, Vec<&SourceMessage>> {
    let mut people: BTreeMap<UserId, Vec<&SourceMessage>> = BTreeMap::new();
    let unread = said
        .iter()
        .filter(|said| !said.failed && remembered_through.is_none_or(|through| said.id > through));
    for said in unread {
        if let Some(user) = said.user_id {
            people.entry(user).or_default().push(said);
        }
    }
    people.retain(|_, said| said.iter().any(|said| said.direction == Direction::Inbound));
    people
}

/// The messages that a summary covers: all but those that failed to be delivered.
pub fn delivered(said: &[SourceMessage]) -> Vec<&SourceMessage> {
    said.iter().filter(|said| !said.failed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(direction: Direction, user: Option<UserId>, content: &str) -> SourceMessage {
        SourceMessage {
            id: MessageId::new(),
            direction,
            user_id: user,
            content: content.into(),
            failed: false,
        }
    }

    #[test]
    fn each_person_is_read_alone() {
        let (ada, bob) = (UserId::new(), UserId::new());
        let old = said(Direction::Inbound, Some(ada), "old");
        let mut lost = said(Direction::Outbound, Some(ada), "lost");
        lost.failed = true;
        let all = [
            old.clone(),
            said(Direction::Inbound, Some(ada), "I am Ada"),
            said(Direction::Inbound, Some(bob), "Ada likes snails"),
            said(Direction::Outbound, Some(ada), "Hi Ada"),
            lost,
            said(Direction::Outbound, Some(UserId::new()), "to one who said nothing"),
            said(Direction::Outbound, None, "to all"),
        ];
        let read: Vec<_> = by_person(&all, Some(old.id))
            .into_iter()
            .map(|(user, said)| (user, said.iter().map(|said| said.content.as_str()).collect::<Vec<_>>()))
            .collect();
        let mut expected = vec![(ada, vec!["I am Ada", "Hi Ada"]), (bob, vec!["Ada likes snails"])];
        expected.sort();
        assert_eq!(read, expected);
    }

    #[test]
    fn a_piece_is_bounded_by_messages_and_by_characters() {
        let of = |sizes: &[usize]| -> Vec<_> {
            sizes
                .iter()
                .map(|size| said(Direction::Inbound, None, &"x".repeat(*size)))
                .collect()
        };
        let length = |sizes: &[usize], most, room| super::length(&of(sizes), most, room, |text| text.len() as u64);
        assert_eq!(length(&[], 5, 99_000), 0);
        assert_eq!(length(&[1, 1, 1], 2, 99_000), 2);
        assert_eq!(length(&[1, 1, 1], 0, 99_000), 1);
        assert_eq!(length(&[20_000, 4_000, 1], 5, 99_000), 2);
        assert_eq!(length(&[99_000, 1], 5, 99_000), 1);
        // A small model reads less at a time.
        assert_eq!(length(&[2_000, 2_000, 2_000], 5, 4_000), 2);
    }
}
