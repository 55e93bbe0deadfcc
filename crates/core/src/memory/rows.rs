//! The rows that the memory writer reads and changes.

use serde::{Deserialize, Serialize};

use crate::{
    clock::Timestamp,
    id::{MemoryItemId, MessageId, SpaceId, UserId},
    messages::Direction,
    row::FromRow,
};

/// A message, as the memory writer reads it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SourceMessage {
    /// Its id.
    pub id: MessageId,
    /// Its direction.
    pub direction: Direction,
    /// Its author; of an outbound message: the person whom it answers.
    pub user_id: Option<UserId>,
    /// The text.
    pub content: String,
    /// Nobody got it.
    pub failed: bool,
}

/// A person's active item, whole.
#[derive(Clone, Debug, PartialEq, FromRow, Serialize, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: MemoryItemId,
    /// Its module.
    pub module: String,
    /// Its key.
    pub key: String,
    /// The remembered value.
    pub value: String,
    /// 0 (durable) to 5 (detailed and recent).
    pub level: i64,
    /// How sure the writer was, 0 to 1.
    pub confidence: f64,
    /// The shared space that it was said in; `None`: in private.
    pub origin_space: Option<SpaceId>,
    /// Its user lets it be known everywhere.
    pub shareable: bool,
    /// Only its user changes it.
    pub pinned: bool,
    /// When it was first remembered.
    pub created_at: Timestamp,
    /// When it was last spoken of.
    pub last_seen_at: Timestamp,
}

/// A change to an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It is new.
    Add(Item),
    /// It is as given now.
    Update(Item),
    /// It is kept, but not active.
    Archive(MemoryItemId),
}
