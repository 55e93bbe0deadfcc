//! Long texts, which Telegram's apps cut into several messages: these are one message, as the pieces of an album are. Else
//! the first would be answered alone, and in a group the others would speak to nobody.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use clifford_channel::{Inbound, Message};
use jiff::{SignedDuration, Timestamp};

/// The apps cut at a good place in the second half of what a message takes.
const LONG: usize = crate::TEXT_UNITS / 2 - 100;
/// The pieces are sent one right after the other. Telegram tells whole seconds.
const TOGETHER: SignedDuration = SignedDuration::from_secs(2);
/// So many people are remembered.
const MOST: usize = 1_000;

/// The last long text of each person in each place: the id that its pieces share, and when it was sent.
#[derive(Debug, Default)]
pub(crate) struct Cuts(Mutex<HashMap<(String, String), (String, Timestamp)>>);

impl Cuts {
    /// Joins a text with the one before it, if it may be a piece of the same.
    pub(crate) fn join(&self, event: &mut Option<Inbound>) {
        let Some(Inbound::Message(message)) = event else {
            return;
        };
        let key = (message.place.external_id.clone(), message.speaker.id.clone());
        let mut cuts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = cuts.remove(&key);
        if !is_text(message) {
            return;
        }
        let before = before.filter(|(_, at)| {
            let since = message.sent_at.duration_since(*at);
            message.quoted.is_none() && !since.is_negative() && since <= TOGETHER
        });
        let is_long = message.text.encode_utf16().count() >= LONG;
        let cut = match before {
            Some((cut, _)) => cut,
            None if is_long => format!("cut {}", message.id),
            None => return,
        };
        message.album = Some(cut.clone());
        if is_long {
            if cuts.len() >= MOST {
                cuts.clear();
            }
            cuts.insert(key, (cut, message.sent_at));
        }
    }
}

/// Whether it is a text that somebody wrote, and nothing else.
fn is_text(message: &Message) -> bool {
    message.album.is_none()
        && message.attachments.is_empty()
        && message.via.is_none()
        && !message.text.is_empty()
        && !clifford_channel::is_of_others(&message.text)
}

#[cfg(test)]
mod tests {
    use clifford_channel::{Addressed, Place, PlaceKind, Quoted, Speaker};

    use super::*;

    fn said(id: u32, second: i64, text: &str) -> Message {
        Message {
            place: Place {
                platform: crate::PLATFORM,
                external_id: "7".to_owned(),
                parent: None,
                kind: PlaceKind::Private,
                name: None,
                space: None,
            },
            speaker: Speaker {
                id: "7".to_owned(),
                name: "Ada".to_owned(),
                handle: None,
                is_bot: false,
                language: None,
                roles: None,
            },
            id: id.to_string(),
            text: text.to_owned(),
            sent_at: Timestamp::from_second(second).unwrap(),
            reply_to: None,
            addressed: Addressed::default(),
            attachments: Vec::new(),
            album: None,
            backfilled: false,
            via: None,
            quoted: None,
        }
    }

    /// The albums of messages that come one after the other.
    fn albums(messages: Vec<Message>) -> Vec<Option<String>> {
        let cuts = Cuts::default();
        let album = |message: Message| {
            let mut event = Some(Inbound::Message(message));
            cuts.join(&mut event);
            match event {
                Some(Inbound::Message(message)) => message.album,
                _ => None,
            }
        };
        messages.into_iter().map(album).collect()
    }

    #[test]
    fn the_pieces_of_a_long_text_are_one_and_what_comes_later_or_from_others_is_not() {
        let long = "word ".repeat(800);
        let cut = |id: u32| Some(format!("cut {id}"));
        let pieces = vec![
            said(1, 0, &long),
            said(2, 0, &long),
            said(3, 1, "the end"),
            said(4, 1, "more"),
        ];
        assert_eq!(albums(pieces), [cut(1), cut(1), cut(1), None]);
        assert_eq!(albums(vec![said(1, 0, "one"), said(2, 0, "two")]), [None, None]);
        assert_eq!(albums(vec![said(1, 0, &long), said(2, 3, "later")]), [cut(1), None]);
        let another = |change: &dyn Fn(&mut Message)| {
            let mut second = said(2, 0, "two");
            change(&mut second);
            albums(vec![said(1, 0, &long), second]).pop().flatten()
        };
        assert_eq!(another(&|_| {}), cut(1));
        assert_eq!(another(&|other| other.speaker.id = "8".to_owned()), None);
        assert_eq!(another(&|other| other.place.external_id = "7:3".to_owned()), None);
        assert_eq!(another(&|other| other.quoted = Some(Quoted::default())), None);
        assert_eq!(another(&|other| other.text = "[forwarded] two".to_owned()), None);
        assert_eq!(
            another(&|other| other.album = Some("13".to_owned())),
            Some("13".to_owned())
        );
    }
}
