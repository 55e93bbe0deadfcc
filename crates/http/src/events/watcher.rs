//! The task that looks for changes on behalf of all readers of this process, as long as there are any: a few statements
//! every half second, whatever the number of readers. So it tells what other processes do, too.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clifford_core::{
    clock::Timestamp,
    id::{MessageId, RunId},
    messages::MessageStatus,
};
use clifford_store::{StoreError, messages::changes as message_changes};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use super::{
    super::Shared,
    changes::{self, Channels, Found, Key},
    journal::{About, Change, Journal},
    kinds::{ApprovalEvent, LiveEvent},
};

/// How often the rows are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// At which looks what stands in lists of owners is read, and channels are looked up anew.
const STANDING_EVERY: u32 = 4;
const CHANNELS_EVERY: u32 = 120;
/// After so many looks without a reader there is no more looking.
const IDLE: u32 = 20;
/// The most messages on their way whose fate is followed.
const UNDER_WAY: u32 = 1000;

/// The live events of this process.
#[derive(Debug)]
pub(crate) struct LiveEvents {
    pub(super) journal: Journal,
    kept: Mutex<Kept>,
    /// A first look was taken: what follows it is told.
    looking: watch::Sender<bool>,
    tasks: TaskTracker,
}

#[derive(Debug, Default)]
struct Kept {
    readers: usize,
    /// A task looks.
    looks: bool,
}

impl Default for LiveEvents {
    fn default() -> Self {
        Self {
            journal: Journal::default(),
            kept: Mutex::default(),
            looking: watch::Sender::new(false),
            tasks: TaskTracker::new(),
        }
    }
}

impl LiveEvents {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader of this process.
pub(super) struct Reading(Shared);

impl Reading {
    pub(super) fn new(api: &Shared) -> Self {
        api.state.events.kept().readers += 1;
        Self(Shared::clone(api))
    }

    /// Returns once changes are looked for.
    pub(super) async fn started(&self) {
        let events = &self.0.state.events;
        let begins = {
            let mut kept = events.kept();
            !std::mem::replace(&mut kept.looks, true)
        };
        if begins {
            events.tasks.spawn(look_on(Shared::clone(&self.0)));
        }
        events.looking.subscribe().wait_for(|looking| *looking).await.ok();
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.state.events.kept().readers -= 1;
    }
}

/// Says at its end, whichever way that comes, that nobody looks any more.
struct Looking {
    api: Shared,
    is_over: bool,
}

impl Looking {
    /// Ends, unless somebody reads.
    fn end(&mut self) -> bool {
        let events = &self.api.state.events;
        // A reader that comes now waits for the lock, and begins another task.
        let mut kept = events.kept();
        self.is_over = kept.readers == 0;
        if self.is_over {
            kept.looks = false;
            events.looking.send_replace(false);
        }
        self.is_over
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        if !self.is_over {
            let events = &self.api.state.events;
            let mut kept = events.kept();
            kept.looks = false;
            events.looking.send_replace(false);
        }
    }
}

async fn look_on(api: Shared) {
    let mut looking = Looking {
        api: Shared::clone(&api),
        is_over: false,
    };
    let mut watcher = Watcher::new(Shared::clone(&api));
    let mut idle = 0;
    loop {
        if let Err(error) = watcher.look().await {
            tracing::warn!(%error, "failed to poll for live events, retrying");
        }
        tokio::select! {
            () = api.stop.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        let is_read = api.state.events.kept().readers > 0;
        idle = if is_read { 0 } else { idle + 1 };
        if idle > IDLE && looking.end() {
            return;
        }
    }
}

/// The task's knowledge from its looks before.
struct Watcher {
    api: Shared,
    channels: Channels,
    /// Until when everything was found; `None`: it has not looked yet.
    through: Option<Timestamp>,
    /// How the objects stood that changed lately, and when they did.
    seen: HashMap<Key, (u64, Timestamp)>,
    /// Runs that ask.
    asking: HashMap<RunId, About>,
    /// Messages on their way.
    under_way: HashMap<MessageId, MessageStatus>,
    /// The lists of owners.
    standing: HashMap<Key, Found>,
    looks: u32,
    /// Changes that are not in the journal yet.
    found: Vec<Change>,
}

impl Watcher {
    fn new(api: Shared) -> Self {
        Self {
            api,
            channels: Channels::default(),
            through: None,
            seen: HashMap::new(),
            asking: HashMap::new(),
            under_way: HashMap::new(),
            standing: HashMap::new(),
            looks: 0,
            found: Vec::new(),
        }
    }

    /// Rows may be committed so much later than they say. Several processes have clocks of their own.
    fn overlap(&self) -> Duration {
        Duration::from_secs(if self.api.db.is_shared() { 3 } else { 1 })
    }

    async fn look(&mut self) -> Result<(), StoreError> {
        let now = self.api.clock.now();
        let from = self.through.unwrap_or(now).before(self.overlap());
        let Some(found) = changes::since(&self.api, &mut self.channels, from).await? else {
            tracing::debug!("too many changes for live events, beginning anew");
            self.begin_anew(now);
            return Ok(());
        };
        for found in found {
            self.take(found, now);
        }
        self.follow_messages(now).await?;
        if self.looks.is_multiple_of(STANDING_EVERY) {
            self.compare_standing(now).await?;
        }
        self.looks = self.looks.wrapping_add(1);
        if self.looks.is_multiple_of(CHANNELS_EVERY) {
            self.channels.forget();
        }
        // The time in an id may differ from that of its row.
        let kept_from = from.before(self.overlap());
        self.seen.retain(|_, (_, at)| *at >= kept_from);
        let events = &self.api.state.events;
        if self.through.is_none() {
            // A row that stood so before is no news.
            self.found.clear();
            events.journal.begin(now);
            events.looking.send_replace(true);
        }
        events.journal.add(std::mem::take(&mut self.found), now);
        self.through = Some(now);
        Ok(())
    }

    /// Readers are cut off, and read their lists again.
    fn begin_anew(&mut self, now: Timestamp) {
        let events = &self.api.state.events;
        self.seen.clear();
        self.found.clear();
        events.journal.begin(now);
        events.looking.send_replace(true);
        self.through = Some(now);
    }

    /// Takes a row that changed, unless it stands as it did.
    fn take(&mut self, found: Found, now: Timestamp) {
        let Found { key, at, event, about } = found;
        let mut event = event;
        if let LiveEvent::Message(message) = &event
            && self.seen.contains_key(&key)
        {
            event = LiveEvent::Outbox(message.clone());
        }
        if let (Key::Run(id), LiveEvent::Run(run)) = (&key, &event) {
            let (id, asks) = (*id, run.asks());
            if asks {
                self.asking.insert(id, about.clone());
            } else if let Some(about) = self.asking.remove(&id) {
                let settled = LiveEvent::Approval(ApprovalEvent {
                    run_id: id,
                    pending: false,
                });
                self.tell(Key::Approval(id), at, &settled, about, now);
            }
        }
        self.tell(key, at, &event, about, now);
    }

    fn tell(&mut self, key: Key, at: Timestamp, event: &LiveEvent, about: About, now: Timestamp) {
        let (name, data) = event.parts();
        let mut hasher = DefaultHasher::new();
        data.hash(&mut hasher);
        let version = hasher.finish();
        let known = self.seen.insert(key, (version, at));
        if known.is_none_or(|(known, _)| known != version) {
            self.found.push(Change {
                through: now,
                name,
                data,
                about,
            });
        }
    }

    /// Follows outbound messages until they are delivered or given up.
    async fn follow_messages(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let mut conn = self.api.db.read().await?;
        let waiting = message_changes::under_way(&mut conn, UNDER_WAY).await?;
        let present: HashMap<_, _> = waiting.iter().map(|message| (message.id, message.status)).collect();
        let gone: Vec<_> = self
            .under_way
            .keys()
            .filter(|id| !present.contains_key(id))
            .copied()
            .collect();
        let ended = message_changes::these(&mut conn, &gone).await?;
        for message in waiting.into_iter().chain(ended) {
            if self.under_way.get(&message.id) == Some(&message.status) {
                continue;
            }
            let mut found = changes::stored(&mut conn, &mut self.channels, message).await?;
            if let LiveEvent::Message(message) = &found.event {
                found.event = LiveEvent::Outbox(message.clone());
            }
            // Its row may be old; that it was told must be known for a while.
            self.tell(found.key, now, &found.event, found.about, now);
        }
        self.under_way = present;
        Ok(())
    }

    async fn compare_standing(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let present = changes::owner_lists(&self.api).await?;
        let mut before = std::mem::take(&mut self.standing);
        for found in present {
            let is_known = before
                .remove(&found.key)
                .is_some_and(|known| known.event == found.event);
            if !is_known {
                self.push(&found.event, now);
            }
            self.standing.insert(found.key.clone(), found);
        }
        for gone in before.into_values().filter_map(|found| found.event.over()) {
            self.push(&gone, now);
        }
        Ok(())
    }

    fn push(&mut self, event: &LiveEvent, now: Timestamp) {
        let (name, data) = event.parts();
        self.found.push(Change {
            through: now,
            name,
            data,
            about: About::Bot,
        });
    }
}
