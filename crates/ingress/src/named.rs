//! Names of groups and servers that changed while nobody listened: platforms tell them when they connect, and with each
//! message.

use clifford_chat::{
    inbound::{Names, Place},
    platform::Platform,
};
use clifford_store::{StoreError, places::renaming};
use dashmap::DashMap;
use tokio::sync::Mutex;

use super::IngressService;

/// How many spaces are remembered before all are forgotten.
const CROWD: usize = 10_000;

/// The names of spaces that are known to be stored.
#[derive(Debug, Default)]
pub(super) struct ToldNames {
    known: DashMap<(Platform, String), String>,
    /// Names that a connection tells are compared one space after the other.
    pub(super) turn: Mutex<()>,
}

impl IngressService {
    /// Takes over the name of the space in which something is said, if that is another one than before.
    pub(super) async fn learn_name(&self, place: &Place) -> Result<(), StoreError> {
        let Some((space, name)) = place
            .space
            .as_ref()
            .and_then(|space| Some((space, space.name.as_ref()?)))
        else {
            return Ok(());
        };
        let key = (place.platform, space.external_id.clone());
        if self.told_names.known.get(&key).is_some_and(|told| *told == *name) {
            return Ok(());
        }
        self.learn_names(Names {
            platform: place.platform,
            space: space.external_id.clone(),
            name: Some(name.clone()),
            places: Vec::new(),
        })
        .await?;
        if self.told_names.known.len() >= CROWD {
            self.told_names.known.clear();
        }
        self.told_names.known.insert(key, name.clone());
        Ok(())
    }

    /// Takes over names that are others than those that are stored.
    pub(super) async fn learn_names(&self, names: Names) -> Result<(), StoreError> {
        let stale = renaming::stale(&mut self.db.read().await?, &names).await?;
        if stale.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        self.db
            .write(move |tx| Box::pin(async move { renaming::renew(tx, &stale, now).await }))
            .await
    }
}
