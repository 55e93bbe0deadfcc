//! The view of a reader of live events.

use std::collections::HashSet;

use clifford_core::id::SpaceId;
use clifford_store::StoreError;

use super::{
    super::{
        Shared,
        access::{Caller, Need, Object, managed_spaces},
    },
    journal::About,
};

/// The view of a reader.
pub(super) struct View {
    caller: Caller,
    /// The spaces that a person managed when the stream began.
    managed: HashSet<SpaceId>,
}

impl View {
    pub(super) fn new(caller: Caller) -> Self {
        Self {
            caller,
            managed: HashSet::new(),
        }
    }

    /// Finds out what its person manages.
    pub(super) async fn begin(&mut self, api: &Shared) -> Result<(), StoreError> {
        if let Some(me) = self.caller.only() {
            self.managed = managed_spaces(api, me).await?.into_iter().collect();
        }
        Ok(())
    }

    /// Whether it is an owner's, who sees everything.
    pub(super) fn is_owners(&self) -> bool {
        self.caller.only().is_none()
    }

    /// Whether it shows what is about this.
    pub(super) async fn sees(&self, api: &Shared, about: &About) -> bool {
        // An owner's token, whose scope was checked, sees everything.
        let Some(me) = self.caller.only() else { return true };
        let About::Owned { person, channel } = about else {
            return false;
        };
        if *person == Some(me) {
            return true;
        }
        let Some(channel) = channel else { return false };
        if channel.is_private() {
            return channel.user_id == Some(me);
        }
        // No platform is asked about places that its person has nothing to do with.
        channel.space_id.is_some_and(|space| self.managed.contains(&space))
            && (self.caller)
                .allow(api, Need::See, &Object::channel(channel), "channel")
                .await
                .is_ok()
    }
}
