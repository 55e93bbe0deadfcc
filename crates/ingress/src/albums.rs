//! Albums of shared places: they come piece by piece, and only one of the pieces speaks to the bot. Of several files with one
//! comment that is the last. Those before it are kept in memory for a moment, and handed in before it, as the person sees
//! them; unless one comes that speaks to the bot, nothing of them is stored.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clifford_chat::inbound::{Accepted, Message};
use clifford_core::{access, clock::Timestamp};
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
    /// Takes a message, which may be a piece of an album. Before one that speaks to the bot come those that were kept, in
    /// their order: the first of them speaks to it in its place.
    pub(super) async fn piece_or_message(&self, message: Message) -> Result<Accepted, StoreError> {
        if message.album.is_none() || message.place.kind.is_private() {
            return Box::pin(self.message_or_answer(message)).await;
        }
        let (now, audience) = (self.clock.now(), self.audience(message.place.platform));
        let speaks = access::is_addressed(&audience, &message.place, message.addressed, &message.text);
        let mut pieces = match speaks {
            true => self.albums.take(&message, now),
            false => VecDeque::new(),
        };
        let Some(first) = pieces.pop_front() else {
            return self.piece(message, now).await;
        };
        let mut speaking = first.clone();
        speaking.addressed.mention = true;
        let accepted = Box::pin(self.message_or_answer(speaking)).await;
        if let Err(_) | Ok(Accepted::Ignored | Accepted::Refused(_)) = &accepted {
            // What comes again, or is not answered, leaves them as they were.
            std::iter::once(first)
                .chain(pieces)
                .for_each(|piece| self.albums.keep(piece, now));
            accepted?;
            return self.piece(message, now).await;
        }
        self.no_remarks(std::iter::once(&first).chain(&pieces));
        pieces.push_back(message);
        while let Some(next) = pieces.pop_front() {
            if let Err(error) = Box::pin(self.message_or_answer(next.clone())).await {
                // The last of them comes again, and before it these.
                let mut kept: Vec<_> = std::iter::once(next).chain(pieces).collect();
                kept.pop();
                kept.into_iter().for_each(|piece| self.albums.keep(piece, now));
                return Err(error);
            }
        }
        accepted
    }

    /// Takes a piece. One that does not speak to the bot is kept; one that is heard though it does not, as in a thread that
    /// the bot follows, brings those that were kept.
    async fn piece(&self, piece: Message, now: Timestamp) -> Result<Accepted, StoreError> {
        let accepted = Box::pin(self.message_or_answer(piece.clone())).await?;
        match accepted {
            Accepted::Ignored => self.albums.keep(piece, now),
            Accepted::Refused(_) => {}
            Accepted::Answering | Accepted::Queued | Accepted::Stored | Accepted::Duplicate => {
                let mut earlier = self.albums.take(&piece, now);
                self.no_remarks(&earlier);
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

    /// Forgets pieces that are part of a question as what people said among themselves.
    fn no_remarks<'a>(&self, pieces: impl IntoIterator<Item = &'a Message>) {
        for piece in pieces {
            let place = &piece.place;
            let id = std::slice::from_ref(&piece.id);
            self.context.ambient.remove(place.platform, &place.external_id, id);
        }
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
