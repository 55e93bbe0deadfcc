//! Albums of shared places: they come piece by piece, and only one of the pieces speaks to the bot. Of several files with one
//! comment that is the last. Those before it are kept in memory for a moment, and handed in behind it; unless one comes that
//! speaks to the bot, nothing of them is stored.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clifford_chat::inbound::{Accepted, Message};
use clifford_core::clock::Timestamp;
use clifford_store::{StoreError, inbound_lookup};

use super::IngressService;

/// How long a piece is kept: a platform sends the others of its album at once.
const KEPT: Duration = Duration::from_secs(10);
/// So many pieces are kept, in all places together.
const MOST: usize = 200;

/// Pieces of albums none of which has spoken to the bot yet, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Albums(Mutex<VecDeque<(Timestamp, Message)>>);

impl Albums {
    fn keep(&self, piece: Message, now: Timestamp) {
        self.with(|pieces| {
            pieces.retain(|(at, _)| now.since(*at) < KEPT);
            if pieces.len() >= MOST {
                pieces.pop_front();
            }
            pieces.push_back((now, piece));
        });
    }

    /// The kept pieces of the album of a message, which are kept no longer.
    fn take(&self, message: &Message, now: Timestamp) -> VecDeque<Message> {
        let is_of_it = |piece: &Message| {
            piece.album == message.album
                && piece.place.platform == message.place.platform
                && piece.place.external_id == message.place.external_id
                && piece.speaker.id == message.speaker.id
        };
        self.with(|pieces| {
            let (mine, others) = std::mem::take(pieces)
                .into_iter()
                .filter(|(at, _)| now.since(*at) < KEPT)
                .partition(|(_, piece)| is_of_it(piece));
            *pieces = others;
            mine.into_iter().map(|(_, piece)| piece).collect()
        })
    }

    fn with<T>(&self, look: impl FnOnce(&mut VecDeque<(Timestamp, Message)>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl IngressService {
    /// Takes a message, which may be a piece of an album. Behind one that speaks to the bot come those that came before.
    pub(super) async fn piece_or_message(&self, message: Message) -> Result<Accepted, StoreError> {
        if message.album.is_none() || message.place.kind.is_private() {
            return Box::pin(self.message_or_answer(message)).await;
        }
        let (now, piece) = (self.clock.now(), message.clone());
        let accepted = Box::pin(self.message_or_answer(message)).await?;
        match accepted {
            Accepted::Ignored => self.albums.keep(piece, now),
            Accepted::Refused(_) => {}
            Accepted::Answering | Accepted::Queued | Accepted::Stored | Accepted::Duplicate => {
                let mut earlier = self.albums.take(&piece, now);
                let ids: Vec<_> = earlier.iter().map(|piece| piece.id.clone()).collect();
                let place = &piece.place;
                self.context.ambient.remove(place.platform, &place.external_id, &ids);
                while let Some(next) = earlier.pop_front() {
                    if let Err(error) = Box::pin(self.message_or_answer(next.clone())).await {
                        // The message comes again, and with it these.
                        std::iter::once(next)
                            .chain(earlier)
                            .for_each(|piece| self.albums.keep(piece, now));
                        return Err(error);
                    }
                }
            }
        }
        Ok(accepted)
    }

    /// Whether a message is a further piece of an album that spoke to the bot.
    pub(super) async fn goes_on_with_album(&self, message: &Message) -> Result<bool, StoreError> {
        let Some(album) = &message.album else {
            return Ok(false);
        };
        let (place, account) = (&message.place, &message.speaker.id);
        let mut conn = self.db.read_local().await?;
        inbound_lookup::has_album(&mut conn, place.platform, &place.external_id, account, album).await
    }
}

#[cfg(test)]
mod tests {
    use clifford_chat::{
        inbound::{Addressed, Place, PlaceKind, Speaker},
        platform::Platform,
    };

    use super::*;

    fn piece(id: &str, place: &str, person: &str, album: &str) -> Message {
        Message {
            place: Place {
                platform: Platform::new("telegram"),
                external_id: place.to_owned(),
                parent: None,
                kind: PlaceKind::Group,
                name: None,
                space: None,
            },
            speaker: Speaker {
                id: person.to_owned(),
                name: "Ada".to_owned(),
                handle: None,
                is_bot: false,
                language: None,
                roles: None,
            },
            id: id.to_owned(),
            text: String::new(),
            sent_at: jiff::Timestamp::UNIX_EPOCH,
            reply_to: None,
            addressed: Addressed::default(),
            attachments: Vec::new(),
            album: Some(album.to_owned()),
            backfilled: false,
            via: None,
            quoted: None,
        }
    }

    #[test]
    fn the_pieces_of_an_album_are_kept_for_a_moment_and_given_once() {
        let albums = Albums::default();
        let at = |seconds: u64| Timestamp(1_000_000).after(Duration::from_secs(seconds));
        albums.keep(piece("0", "-1", "7", "a"), at(0));
        for (id, place, person, album) in [
            ("1", "-1", "7", "a"),
            ("2", "-1", "8", "a"),
            ("3", "-2", "7", "a"),
            ("4", "-1", "7", "b"),
            ("5", "-1", "7", "a"),
        ] {
            albums.keep(piece(id, place, person, album), at(5));
        }
        let taken = |seconds: u64| {
            let pieces = albums.take(&piece("9", "-1", "7", "a"), at(seconds)).into_iter();
            pieces.map(|piece| piece.id).collect::<Vec<_>>()
        };
        assert_eq!(taken(10), ["1", "5"]);
        assert!(taken(10).is_empty());
        for id in 0..MOST + 1 {
            albums.keep(piece(&id.to_string(), "-1", "7", "a"), at(20));
        }
        assert_eq!(taken(20).len(), MOST);
    }
}
