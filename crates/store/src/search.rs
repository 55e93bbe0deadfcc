//! The full-text index over messages: its queue, and its hits. A message is in it under its `search_id`; what is
//! deleted or edited leaves it by triggers.

mod listing;
mod lookup;

use std::fmt::Write as _;

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId},
    messages::Direction,
    row::FromRow,
    search::{
        Scope,
        terms::{self, MOST_TERMS},
    },
    value::{Value, args},
};
use serde::Serialize;

pub(crate) use self::lookup::{all_of, expression};
pub use self::{
    listing::{Listing, in_spans},
    lookup::{Beside, Candidate, Form, PostingsQuery, Reach, candidates, lists, neighbours},
};
use super::{Conn, StoreError, Tx, withheld};

/// The most places that one search looks in: of more, those where something was said last.
const MOST_PLACES: u32 = 200;
/// The most bytes of a message's terms: PostgreSQL takes no more than a megabyte of them.
const MOST_BYTES: usize = 200_000;
/// The most characters of a message in which its terms are looked for: an imported one may have millions, and many are read
/// at once.
const MOST_READ: u32 = 300_000;

/// The channels of a scope.
pub async fn places(conn: &mut Conn, scope: Scope) -> Result<Vec<ChannelId>, StoreError> {
    const PRIVATE: &str = "SELECT id FROM channels WHERE user_id = $1 AND kind = 'private'";
    let (sql, args) = match scope {
        Scope::Nothing => return Ok(Vec::new()),
        Scope::Channel(id) => return Ok(vec![id]),
        Scope::Person(user) => (
            format!("{PRIVATE} ORDER BY COALESCE(last_message_at, 0) DESC, id LIMIT $2"),
            args![user, MOST_PLACES],
        ),
        Scope::Both(user, channel) => (format!("{PRIVATE} AND id = $2"), args![user, channel]),
    };
    let rows: Vec<(ChannelId,)> = conn.fetch_all(sql, args).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// `column IN ($n, …)` with the channels as further arguments.
pub(super) fn within(column: &str, channels: &[ChannelId], args: &mut Vec<Value>) -> String {
    let mut sql = format!("{column} IN (");
    for (place, channel) in channels.iter().enumerate() {
        args.push((*channel).into());
        let _ = write!(sql, "{}${}", if place == 0 { "" } else { ", " }, args.len());
    }
    sql.push(')');
    sql
}

/// The condition for a message that belongs into the index and is not in it yet.
fn unindexed() -> String {
    let is_open = withheld::is_open("");
    format!("search_id IS NULL AND context_id IS NOT NULL AND deleted_at IS NULL AND {is_open}")
}

/// Whether messages of these channels are not in the index yet.
pub async fn is_behind(conn: &mut Conn, channels: &[ChannelId]) -> Result<bool, StoreError> {
    let mut args = args![];
    let within = within("channel_id", channels, &mut args);
    let unindexed = unindexed();
    let sql = format!("SELECT CAST(1 AS BIGINT) FROM messages WHERE {unindexed} AND {within} LIMIT 1");
    conn.exists(sql, args).await
}

/// Whether any message is not in the index yet.
pub async fn has_unindexed(conn: &mut Conn) -> Result<bool, StoreError> {
    // In the order of the index of what is missing, or SQLite would look through every message there is.
    let unindexed = unindexed();
    let sql = format!("SELECT CAST(1 AS BIGINT) FROM messages WHERE {unindexed} ORDER BY channel_id, id LIMIT 1");
    conn.exists(sql, args![]).await
}

#[derive(FromRow)]
struct Unindexed {
    id: MessageId,
    channel_id: ChannelId,
    content: String,
}

/// Takes up to `limit` messages into the index, of these channels or of all, and returns how many. Several
/// processes may do so at once: each takes others.
pub async fn index(tx: &mut Tx, channels: Option<&[ChannelId]>, limit: u32) -> Result<usize, StoreError> {
    let mut args = args![limit];
    let of_channels = match channels {
        // Newest first: more may be missing than is made up for at once.
        Some(channels) => format!(
            "AND {} ORDER BY channel_id DESC, id DESC",
            within("channel_id", channels, &mut args)
        ),
        None => "ORDER BY channel_id, id".to_owned(),
    };
    let lock = if tx.is_postgres() { "FOR UPDATE SKIP LOCKED" } else { "" };
    let unindexed = unindexed();
    let sql = format!(
        "SELECT id, channel_id, SUBSTR(content, 1, {MOST_READ}) AS content FROM messages
         WHERE {unindexed} {of_channels} LIMIT $1 {lock}"
    );
    let mut batch: Vec<Unindexed> = tx.fetch_all(sql, args).await?;
    batch.sort_by_key(|message| message.id);
    put_in(tx, &batch).await?;
    Ok(batch.len())
}

/// How far the index is that is made of all messages, in the order of their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The last message that was looked at.
    pub message: MessageId,
    /// How many were.
    pub messages: usize,
}

/// Looks at up to `limit` messages behind this one, and takes those into the index that belong there and are not in it.
/// `None`: there are no more. Where many messages are missing this reads each of them once, and [`index`] may read those
/// that it leaves for later again and again.
///
/// # Errors
/// The database does not answer.
pub async fn index_anew(tx: &mut Tx, after: Option<MessageId>, limit: u32) -> Result<Option<Reached>, StoreError> {
    let unindexed = unindexed();
    // The planner of a database that is just being filled knows nothing of it: it is left no choice.
    let sql = format!(
        "SELECT id, channel_id, SUBSTR(content, 1, {MOST_READ}) AS content, CAST(CASE WHEN {unindexed} THEN 1 ELSE 0 END AS BIGINT) AS belongs
         FROM messages WHERE id > $1 ORDER BY id LIMIT $2"
    );
    let after = after.map_or_else(String::new, |id| id.to_string());
    let looked: Vec<Looked> = tx.fetch_all(sql, args![after, limit]).await?;
    let reached = looked.last().map(|last| Reached {
        message: last.id,
        messages: looked.len(),
    });
    let missing = looked.into_iter().filter(|message| message.belongs == 1);
    let missing: Vec<_> = missing
        .map(|message| Unindexed {
            id: message.id,
            channel_id: message.channel_id,
            content: message.content,
        })
        .collect();
    put_in(tx, &missing).await?;
    Ok(reached)
}

#[derive(FromRow)]
struct Looked {
    id: MessageId,
    channel_id: ChannelId,
    content: String,
    belongs: i64,
}

/// Puts messages into the index.
async fn put_in(tx: &mut Tx, batch: &[Unindexed]) -> Result<(), StoreError> {
    if batch.is_empty() {
        return Ok(());
    }
    let numbers = numbers(tx, batch.len()).await?;
    let postgres = tx.is_postgres();
    let (mut documents, mut owners) = (Values::default(), Values::default());
    for (message, number) in batch.iter().zip(&numbers) {
        let row = documents.row([(*number).into(), document(message, postgres).into()]);
        documents.sql.push_str(&if postgres {
            format!("(${}, CAST(${} AS TSVECTOR))", row - 1, row)
        } else {
            format!("(${}, ${row})", row - 1)
        });
        let row = owners.row([message.id.into(), (*number).into()]);
        let _ = write!(owners.sql, "(${}, ${row})", row - 1);
    }
    let number = if postgres { "id" } else { "rowid" };
    let sql = format!("INSERT INTO message_search ({number}, terms) VALUES {}", documents.sql);
    tx.execute(sql, documents.args).await?;
    let sql = format!(
        "UPDATE messages SET search_id = v.column2 FROM (VALUES {}) AS v WHERE messages.id = v.column1",
        owners.sql
    );
    tx.execute(sql, owners.args).await?;
    Ok(())
}

/// Rows of a `VALUES` clause, as they are put together.
#[derive(Default)]
struct Values {
    sql: String,
    args: Vec<Value>,
}

impl Values {
    /// Begins a row of two, and returns the number of its second argument.
    fn row(&mut self, values: [Value; 2]) -> usize {
        if !self.sql.is_empty() {
            self.sql.push_str(", ");
        }
        self.args.extend(values);
        self.args.len()
    }
}

/// Numbers for the index that nobody else takes; ascending.
async fn numbers(tx: &mut Tx, count: usize) -> Result<Vec<i64>, StoreError> {
    if tx.is_postgres() {
        let sql = "SELECT nextval('message_search_ids') FROM generate_series(1, $1)";
        let rows: Vec<(i64,)> = tx.fetch_all(sql, args![count]).await?;
        return Ok(rows.into_iter().map(|row| row.0).collect());
    }
    let sql = "SELECT COALESCE(MAX(search_id), 0) FROM messages WHERE search_id IS NOT NULL";
    let (last,): (i64,) = tx.fetch_one(sql, args![]).await?;
    Ok((last + 1..).take(count).collect())
}

/// The indexed text of a message: its place and its terms, in the engine's syntax.
fn document(message: &Unindexed, postgres: bool) -> String {
    let place = terms::place(message.channel_id);
    let mut document = if postgres { format!("'{place}'") } else { place };
    let positions = 1_u32..;
    for (position, term) in positions.zip(terms::terms(&message.content).take(MOST_TERMS)) {
        if document.len() + term.text.len() > MOST_BYTES {
            break;
        }
        let _ = if postgres {
            write!(document, " '{}':{position}", term.text)
        } else {
            write!(document, " {}", term.text)
        };
    }
    document
}

/// A message with what tells where it was said.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocatedMessage {
    /// The message.
    #[schema(value_type = String)]
    pub id: MessageId,
    /// Where it was said.
    #[schema(value_type = String)]
    pub channel_id: ChannelId,
    /// The platform's name.
    pub platform: String,
    /// The channel's name.
    pub channel_name: Option<String>,
    /// In which conversation.
    #[schema(value_type = String)]
    pub context_id: ContextId,
    /// Its name.
    pub context_name: Option<String>,
    /// Its direction.
    pub direction: Direction,
    /// The text.
    #[serde(skip)]
    #[schema(ignore)]
    pub content: String,
    /// When it was stored.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
}

/// These messages, in no order.
pub async fn locate(conn: &mut Conn, ids: &[MessageId]) -> Result<Vec<LocatedMessage>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Vec<_> = (1..=ids.len()).map(|number| format!("${number}")).collect();
    let sql = format!(
        "SELECT m.id, m.channel_id, c.platform, c.name AS channel_name, m.context_id, x.name AS context_name,
                m.direction, m.content, m.created_at
         FROM messages m JOIN channels c ON c.id = m.channel_id JOIN contexts x ON x.id = m.context_id
         WHERE m.deleted_at IS NULL AND m.id IN ({})",
        numbers.join(", ")
    );
    conn.fetch_all(sql, ids.iter().map(|id| (*id).into()).collect()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_message_is_indexed_within_what_the_engines_take() {
        let message = Unindexed {
            id: MessageId::new(),
            channel_id: ChannelId::new(),
            content: format!("{} ", "語言".repeat(40)).repeat(2000),
        };
        for postgres in [false, true] {
            let document = document(&message, postgres);
            assert!(document.len() <= MOST_BYTES + 20, "{}", document.len());
            assert!(document.split(' ').count() <= MOST_TERMS + 1);
        }
    }
}
