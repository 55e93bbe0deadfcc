//! The messages that a memory item may come from.

use clifford_core::{memory::source::PersonMessage, value::args};

use super::admin::Item;
use crate::{Conn, StoreError, withheld};

/// How far back a message is looked for.
const MOST: u32 = 500;
/// How much of a message is read.
const HEAD: u32 = 4000;

/// The messages of an item's person in its conversation until it was last said or changed, the newest first.
pub async fn candidates(conn: &mut Conn, item: &Item) -> Result<Vec<PersonMessage>, StoreError> {
    let Some(context) = item.context_id else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT id, SUBSTR(content, 1, {HEAD}) AS content FROM messages
         WHERE context_id = $1 AND user_id = $2 AND direction = 'inbound' AND created_at <= $3 AND deleted_at IS NULL
             AND {} ORDER BY id DESC LIMIT {MOST}",
        withheld::is_open("")
    );
    conn.fetch_all(sql, args![context, item.user_id, item.last_seen_at])
        .await
}
