//! The settings that can be changed while running, for the whole bot, a space or a channel; the nearest one holds.

use clifford_core::{
    id::{ChannelId, SpaceId},
    places::WhenBusy,
    settings::{Ingress, Memory},
};

use crate::{
    Conn, StoreError,
    places::settings::{self, Setting},
};

/// The settings of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceSettings {
    /// The handling of messages that arrive while a run is at work.
    pub when_busy: WhenBusy,
    /// Whether items are written and shown to the model.
    pub memory: bool,
    /// Whether a private conversation shows the model what its person last said elsewhere.
    pub cross_channel: bool,
}

impl PlaceSettings {
    /// What the configuration says: it holds where nothing else is set.
    pub const fn configured(ingress: &Ingress, memory: &Memory) -> Self {
        Self {
            when_busy: ingress.when_busy,
            memory: memory.enabled,
            cross_channel: memory.cross_channel,
        }
    }

    /// The settings in a channel: its own, else its space's, else the bot's, else those of `self`.
    pub async fn of(self, conn: &mut Conn, space: Option<SpaceId>, channel: ChannelId) -> Result<Self, StoreError> {
        Ok(self.with(settings::of_place(conn, space, channel).await?))
    }

    /// The same, of what was read: farthest first.
    #[must_use]
    pub fn with(mut self, rows: Vec<Setting>) -> Self {
        for Setting { name, value } in rows {
            match name.as_str() {
                "when_busy" => self.when_busy = value.parse().unwrap_or(self.when_busy),
                "memory" => self.memory = value.parse().unwrap_or(self.memory),
                "cross_channel" => self.cross_channel = value.parse().unwrap_or(self.cross_channel),
                _ => {}
            }
        }
        self
    }
}
