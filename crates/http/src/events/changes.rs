//! Changes since a moment, as the rows tell them: for the task that looks all the time, and for a reader that comes
//! back.

use std::{collections::HashMap, sync::Arc};

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, MessageId, RunId, UserId},
    places::Channel,
};
use clifford_store::{
    Conn, StoreError, deaths,
    messages::changes::{self as message_changes, ChangedMessage},
    people::pairings,
    places::channels,
    runs::{feedback, views},
};

use super::{
    super::{Shared, connections},
    journal::About,
    kinds::{ApprovalEvent, ConnectionEvent, LiveEvent, RunEvent},
};

/// The most rows of a kind that are told. Beyond that, readers read their lists again.
pub(super) const MOST: u32 = 5000;
/// The most quarantined work that is looked at.
const QUARANTINED: u32 = 200;
/// How many channels are remembered.
const REMEMBERED: usize = 10_000;

/// The object of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Run(RunId),
    Approval(RunId),
    Message(MessageId),
    Feedback(RunId, UserId),
    Connection(String),
    Pairing(String, String),
    Quarantine(String),
}

/// A change that was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Its object.
    pub key: Key,
    /// When its row changed.
    pub at: Timestamp,
    /// How it is told.
    pub event: LiveEvent,
    /// Whom it is about.
    pub about: About,
}

/// Channels that were looked up.
#[derive(Debug, Default)]
pub(super) struct Channels(HashMap<ChannelId, Option<Arc<Channel>>>);

impl Channels {
    /// Forgets them: they may have changed.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    async fn about(
        &mut self,
        conn: &mut Conn,
        person: Option<UserId>,
        channel: Option<ChannelId>,
    ) -> Result<About, StoreError> {
        let channel = match channel {
            Some(id) => self.get(conn, id).await?,
            None => None,
        };
        Ok(About::Owned { person, channel })
    }

    async fn get(&mut self, conn: &mut Conn, id: ChannelId) -> Result<Option<Arc<Channel>>, StoreError> {
        if let Some(known) = self.0.get(&id) {
            return Ok(known.clone());
        }
        if self.0.len() >= REMEMBERED {
            self.forget();
        }
        let found = channels::get(conn, id).await?.map(Arc::new);
        self.0.insert(id, found.clone());
        Ok(found)
    }
}

/// Every row that changed at a moment or later, the first change first. `None`: too many did.
pub(super) async fn since(
    api: &Shared,
    channels: &mut Channels,
    from: Timestamp,
) -> Result<Option<Vec<Found>>, StoreError> {
    let mut conn = api.db.read().await?;
    let runs = views::changed_since(&mut conn, from, MOST, api.clock.now()).await?;
    let messages = message_changes::from(&mut conn, MessageId::first_at(from), MOST).await?;
    let verdicts = feedback::given_since(&mut conn, from, MOST).await?;
    let is_full = |rows: usize| u32::try_from(rows).is_ok_and(|rows| rows >= MOST);
    if [runs.len(), messages.len(), verdicts.len()].into_iter().any(is_full) {
        return Ok(None);
    }
    let mut found = Vec::with_capacity(runs.len() + messages.len() + verdicts.len());
    for run in runs {
        let about = channels.about(&mut conn, run.user_id, run.channel_id).await?;
        let (id, at) = (run.id, run.updated_at);
        let run = RunEvent::from(run);
        let asks = run.asks();
        found.push(Found {
            key: Key::Run(id),
            at,
            event: LiveEvent::Run(run),
            about: about.clone(),
        });
        if asks {
            found.push(Found {
                key: Key::Approval(id),
                at,
                event: LiveEvent::Approval(ApprovalEvent {
                    run_id: id,
                    pending: true,
                }),
                about,
            });
        }
    }
    for message in messages {
        found.push(stored(&mut conn, channels, message).await?);
    }
    for given in verdicts {
        found.push(Found {
            key: Key::Feedback(given.run_id, given.user_id),
            at: given.given_at,
            about: channels.about(&mut conn, Some(given.user_id), given.channel_id).await?,
            event: LiveEvent::Feedback(given.into()),
        });
    }
    found.sort_by_key(|found| found.at);
    Ok(Some(found))
}

/// A message as one that was stored.
pub(super) async fn stored(
    conn: &mut Conn,
    channels: &mut Channels,
    message: ChangedMessage,
) -> Result<Found, StoreError> {
    Ok(Found {
        key: Key::Message(message.id),
        at: message.created_at,
        about: channels.about(conn, message.user_id, Some(message.channel_id)).await?,
        event: LiveEvent::Message(message.into()),
    })
}

/// The lists of owners: connections, requests to be let in, quarantined work.
pub(super) async fn owner_lists(api: &Shared) -> Result<Vec<Found>, StoreError> {
    let now = api.clock.now();
    let found = |key, event| Found {
        key,
        at: now,
        event,
        about: About::Bot,
    };
    let mut all = Vec::new();
    for connection in connections::all(api).await? {
        let event = ConnectionEvent::from(connection);
        all.push(found(
            Key::Connection(event.platform.clone()),
            LiveEvent::Connection(event),
        ));
    }
    let mut conn = api.db.read().await?;
    for pairing in pairings::list(&mut conn, now).await? {
        let key = Key::Pairing(pairing.platform.clone(), pairing.platform_user_id.clone());
        all.push(found(key, LiveEvent::Pairing(pairing.into())));
    }
    for work in deaths::quarantined(&mut conn, QUARANTINED).await? {
        all.push(found(
            Key::Quarantine(work.id.clone()),
            LiveEvent::Quarantine(work.into()),
        ));
    }
    Ok(all)
}
