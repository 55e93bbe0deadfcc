//! A memory item as it was before a call, for its person to have it back.

use clifford_core::{
    id::{MemoryItemId, UserId},
    run::undo::KeptItem,
    value::args,
};

use crate::{Conn, StoreError, Tx};

/// A person's active item of a key, with where its words came from.
pub async fn active_item(
    conn: &mut Conn,
    user: UserId,
    module: &str,
    key: &str,
) -> Result<Option<KeptItem>, StoreError> {
    conn.fetch_optional(
        "SELECT id, module, key, value, level, confidence, origin_space, shareable, pinned, created_at, last_seen_at,
             context_id, own_at
         FROM memory_items WHERE user_id = $1 AND module = $2 AND key = $3 AND NOT archived",
        args![user, module, key],
    )
    .await
}

/// Lets an active item say what it said before; nothing: it is deleted.
pub async fn restore(tx: &mut Tx, user: UserId, id: MemoryItemId, before: Option<&KeptItem>) -> Result<(), StoreError> {
    let Some(KeptItem {
        item,
        context_id,
        own_at,
    }) = before
    else {
        let sql = "DELETE FROM memory_items WHERE id = $1 AND user_id = $2 AND NOT archived AND NOT pinned";
        return tx.defer(sql, args![id, user]).await;
    };
    tx.defer(
        "UPDATE memory_items SET value = $1, level = $2, confidence = $3, origin_space = $4, shareable = $5,
             last_seen_at = $6, context_id = $7, own_at = $8
         WHERE id = $9 AND user_id = $10 AND NOT archived AND NOT pinned",
        args![
            &item.value,
            item.level,
            item.confidence,
            item.origin_space,
            item.shareable,
            item.last_seen_at,
            *context_id,
            *own_at,
            id,
            user
        ],
    )
    .await
}

/// Makes archived items active again of whose keys nothing else is known by now.
pub async fn unarchive(tx: &mut Tx, user: UserId, ids: &[MemoryItemId]) -> Result<(), StoreError> {
    for id in ids {
        tx.defer(
            "UPDATE memory_items SET archived = $1 WHERE id = $2 AND user_id = $3 AND NOT EXISTS (
                 SELECT 1 FROM memory_items other WHERE other.user_id = $3 AND NOT other.archived
                 AND other.module = memory_items.module AND other.key = memory_items.key)",
            args![false, *id, user],
        )
        .await?;
    }
    Ok(())
}
