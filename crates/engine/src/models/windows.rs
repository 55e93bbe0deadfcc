//! Learns models' context windows and whether they see images: asks servers' lists, reads refusals, shares the results
//! with all processes.
//!
//! Nothing here stands in the way of an answer. A request reads the windows known at that moment
//! ([`Roles::window`](crate::models::roles::Roles::window)) and notifies it; this task then asks the server alongside
//! it, and writes its answer to `model_windows`. Refusals are noted where they occur, and written here. Every process
//! reads the rows when it starts and once in a while after, in the order in which they were learned.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use clifford_core::{
    clock::{Clock, Timestamp},
    models::Source,
};
use clifford_llm::{Learned, Listed, Sight, Window};
use clifford_store::{
    Db, StoreError,
    model_images::{self, ModelImages},
    model_windows::{self, ModelWindow},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How often rows of other processes are looked for.
const LOOK: Duration = Duration::from_secs(60);
/// How long what a server told is believed, and how long one is left alone that told nothing.
const ASK_AGAIN: Duration = Duration::from_secs(3600);

/// A model, where it is asked, and what is known of its window.
#[derive(Clone)]
pub struct Entry {
    /// The provider's name in the configuration.
    pub provider: String,
    /// How to ask its server; `None`: it tells nothing.
    pub listed: Option<Listed>,
    /// The address as it may be shown.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The known window.
    pub window: Arc<Window>,
    /// Whether it sees images.
    pub sight: Arc<Sight>,
}

/// The windows of all models that are asked for something.
#[derive(Default)]
pub struct Windows {
    entries: Vec<Entry>,
    client: Option<reqwest::Client>,
    notify: Notify,
}

impl Windows {
    /// These, asked by this client.
    pub fn new(entries: Vec<Entry>, client: Option<reqwest::Client>) -> Self {
        Self {
            entries,
            client,
            notify: Notify::new(),
        }
    }

    /// Something is needed or was learned.
    pub fn notify(&self) {
        self.notify.notify_one();
    }

    /// Learns and keeps until `stop`.
    pub async fn run(&self, db: Db, clock: Arc<dyn Clock>, stop: CancellationToken) {
        let mut asked = BTreeMap::new();
        let mut shared = BTreeMap::new();
        let mut seen = BTreeMap::new();
        loop {
            let read = async {
                self.read_sights(&db, &mut seen).await?;
                self.read(&db, &mut shared).await
            };
            if let Err(error) = read.await {
                tracing::debug!(%error, "failed to read the windows of models, trying later");
            }
            self.ask(&mut asked, &stop).await;
            let written = async {
                self.write_sights(&db, &*clock, &mut seen).await?;
                self.write(&db, &*clock, &mut shared).await
            };
            if let Err(error) = written.await {
                tracing::warn!(%error, "failed to store what models taught of themselves, retrying later");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.notify.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Takes what other processes learned.
    async fn read(&self, db: &Db, shared: &mut BTreeMap<Key, Shared>) -> Result<(), StoreError> {
        for row in model_windows::every(&mut db.read().await?).await? {
            let mine = self.entries.iter().enumerate().find(|(_, entry)| {
                entry.provider == row.provider && entry.base_url == row.base_url && entry.model == row.model
            });
            let (Some((place, entry)), Ok(tokens)) = (mine, u64::try_from(row.tokens)) else {
                continue;
            };
            let key = (place, row.source.as_str());
            let known = shared.get(&key);
            let is_old = known.is_some_and(|known| known.learned_at >= row.learned_at);
            // A window learnt here in the meantime is newer.
            let is_behind = learned(entry, row.source).map(|learned| learned.order) != known.map(|known| known.order);
            if is_old || is_behind {
                continue;
            }
            match row.source {
                Source::Listed => entry.window.list(tokens),
                Source::Refused => entry.window.refuse(tokens),
            }
            if let Some(Learned { order, .. }) = learned(entry, row.source) {
                let learned_at = row.learned_at;
                shared.insert(key, Shared { order, learned_at });
            }
        }
        Ok(())
    }

    /// Takes what other processes learned of models that see images, or do not.
    async fn read_sights(&self, db: &Db, seen: &mut BTreeMap<usize, (bool, Timestamp)>) -> Result<(), StoreError> {
        for row in model_images::every(&mut db.read().await?).await? {
            let mine = self.entries.iter().enumerate().find(|(_, entry)| {
                entry.provider == row.provider && entry.base_url == row.base_url && entry.model == row.model
            });
            let Some((place, entry)) = mine else { continue };
            let known = seen.get(&place).copied();
            // A window learnt here in the meantime is newer.
            let is_behind = entry.sight.learned() != known.map(|(sees, _)| sees);
            if is_behind || known.is_some_and(|(_, learned_at)| learned_at >= row.learned_at) {
                continue;
            }
            entry.sight.learn(row.sees);
            seen.insert(place, (row.sees, row.learned_at));
        }
        Ok(())
    }

    /// Writes which models see images, as far as that was learned here.
    async fn write_sights(
        &self,
        db: &Db,
        clock: &dyn Clock,
        seen: &mut BTreeMap<usize, (bool, Timestamp)>,
    ) -> Result<(), StoreError> {
        for (place, entry) in self.entries.iter().enumerate() {
            let known = seen.get(&place).map(|(sees, _)| *sees);
            let Some(sees) = entry.sight.learned().filter(|sees| known != Some(*sees)) else {
                continue;
            };
            let learned_at = clock.now();
            let row = ModelImages {
                provider: entry.provider.clone(),
                base_url: entry.base_url.clone(),
                model: entry.model.clone(),
                sees,
                learned_at,
            };
            db.write(move |tx| Box::pin(async move { model_images::put(tx, &row).await }))
                .await?;
            seen.insert(place, (sees, learned_at));
        }
        Ok(())
    }

    /// Asks the servers of models whose window is needed, and not known.
    async fn ask(&self, asked: &mut BTreeMap<usize, Instant>, stop: &CancellationToken) {
        let Some(client) = &self.client else { return };
        for (place, entry) in self.entries.iter().enumerate() {
            let is_due = asked.get(&place).is_none_or(|at: &Instant| at.elapsed() > ASK_AGAIN);
            let Some(listed) = entry.listed.as_ref().filter(|_| is_due && entry.window.is_wanted()) else {
                continue;
            };
            asked.insert(place, Instant::now());
            let told = tokio::select! {
                () = stop.cancelled() => return,
                told = listed.window(client) => told,
            };
            if let Some(tokens) = told {
                entry.window.list(tokens);
                tracing::info!(
                    provider = entry.provider,
                    model = entry.model,
                    tokens,
                    "learned a model's context window from its server"
                );
            }
        }
    }

    /// Writes what was learned here.
    async fn write(&self, db: &Db, clock: &dyn Clock, shared: &mut BTreeMap<Key, Shared>) -> Result<(), StoreError> {
        for (place, entry) in self.entries.iter().enumerate() {
            for source in [Source::Listed, Source::Refused] {
                let key = (place, source.as_str());
                let is_shared = |order| shared.get(&key).is_some_and(|known| known.order == order);
                let Some(learned) = learned(entry, source).filter(|learned| !is_shared(learned.order)) else {
                    continue;
                };
                let learned_at = clock.now();
                let row = ModelWindow {
                    provider: entry.provider.clone(),
                    base_url: entry.base_url.clone(),
                    model: entry.model.clone(),
                    source,
                    tokens: i64::try_from(learned.tokens).unwrap_or(i64::MAX),
                    learned_at,
                };
                db.write(move |tx| Box::pin(async move { model_windows::put(tx, &row).await }))
                    .await?;
                let order = learned.order;
                shared.insert(key, Shared { order, learned_at });
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Windows {
    /// Without keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Windows")
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

/// An entry by its place, and its source.
type Key = (usize, &'static str);

/// The state that this process and the database have in common for it.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// Its place among what was learned here.
    order: u64,
    /// When it was learned, by the row.
    learned_at: Timestamp,
}

fn learned(entry: &Entry, source: Source) -> Option<Learned> {
    let (listed, refused) = entry.window.learned();
    match source {
        Source::Listed => listed,
        Source::Refused => refused,
    }
}
