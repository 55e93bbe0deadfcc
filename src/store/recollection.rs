//! What a prompt is made of beside its run, found in one trip.

use super::{
    Conn, StoreError,
    memory_items::{self, MemoryItem, Viewer},
    messages::{self, Turn},
};
use crate::id::{ContextId, RunId, UserId};

/// What is looked for, and at most how much of it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The conversation of a run: what was said in it before.
    pub conversation: Option<(ContextId, RunId)>,
    /// The most turns of it.
    pub turns: u32,
    /// Of whom items are remembered, and who sees them.
    pub person: Option<(UserId, Viewer)>,
    /// The most items.
    pub items: u32,
}

/// What was found: turns and items.
pub type Recollection = (Vec<Turn>, Vec<MemoryItem>);

/// The newest turns, oldest first, and the items, as [`messages::conversation`] and [`memory_items::active`] give
/// them.
///
/// # Errors
/// The store's.
pub async fn find(conn: &mut Conn, wanted: Wanted) -> Result<Recollection, StoreError> {
    match (wanted.conversation, wanted.person) {
        (Some((context, run)), Some((user, viewer))) => {
            let asks = [
                messages::ask_conversation(context, run, wanted.turns),
                memory_items::ask_active(user, viewer, wanted.items),
            ];
            let [turns, items] = conn.together(asks).await?;
            let mut turns: Vec<Turn> = turns.all()?;
            turns.reverse();
            Ok((turns, items.all()?))
        }
        (Some((context, run)), None) => Ok((
            messages::conversation(conn, context, run, wanted.turns).await?,
            Vec::new(),
        )),
        (None, Some((user, viewer))) => Ok((
            Vec::new(),
            memory_items::active(conn, user, viewer, wanted.items).await?,
        )),
        (None, None) => Ok((Vec::new(), Vec::new())),
    }
}
