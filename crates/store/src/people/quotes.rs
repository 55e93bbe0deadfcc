//! Texts of others in which somebody may be quoted: read a page at a time, and replaced.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, MessageId, UserId},
    row::FromRow,
    value::args,
};

use crate::{Conn, StoreError, Tx, removal::each};

/// How many texts are read at once.
const PAGE: u32 = 200;

/// A column that holds texts which the bot wrote, or recorded, in a channel.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    table: &'static str,
    name: &'static str,
    /// The source of the rows: the table, and the tables joined to it where those are walked.
    rows: &'static str,
    /// The key of its rows.
    key: &'static str,
    /// And their place within that; `0`: they are known by the key alone.
    seq: &'static str,
    /// The rows of the channel `$1` that changed since `$2`.
    of_channel: &'static str,
    /// It holds JSON.
    pub is_json: bool,
    /// It names items by their keys.
    pub names_items: bool,
}

const MESSAGES: &str = "channel_id = $1 AND created_at >= $2 AND direction = 'outbound'";
const PARTS: &str = "m.channel_id = $1 AND m.created_at >= $2 AND m.direction = 'outbound' AND m.id >= $3";
const RUNS: &str = "channel_id = $1 AND updated_at >= $2";
const STEPS: &str = "r.channel_id = $1 AND r.updated_at >= $2 AND x.created_at >= $2 AND r.id >= $3";
const CONTEXTS: &str = "channel_id = $1 AND last_user_interaction_at >= $2";
const JOBS: &str = "updated_at >= $2 AND context_id IN (SELECT id FROM contexts WHERE channel_id = $1)";

const TRIGGERS: &str = "channel_id = $1 AND updated_at >= $2";

const fn column(table: &'static str, name: &'static str, of_channel: &'static str, is_json: bool) -> Column {
    Column {
        table,
        name,
        rows: table,
        key: "id",
        seq: "0",
        of_channel,
        is_json,
        names_items: false,
    }
}

const fn part(name: &'static str) -> Column {
    Column {
        table: "message_parts",
        name,
        rows: "messages m JOIN message_parts x ON x.message_id = m.id",
        key: "message_id",
        seq: "seq",
        of_channel: PARTS,
        is_json: true,
        names_items: false,
    }
}

const fn step(name: &'static str) -> Column {
    Column {
        table: "run_steps",
        name,
        rows: "runs r JOIN run_steps x ON x.run_id = r.id",
        key: "run_id",
        seq: "seq",
        of_channel: STEPS,
        is_json: true,
        names_items: false,
    }
}

/// Every such column.
pub const COLUMNS: [Column; 18] = [
    column("messages", "content", MESSAGES, false),
    column("messages", "error", MESSAGES, false),
    column("messages", "attachments", MESSAGES, true),
    column("messages", "metadata", MESSAGES, true),
    // People quote each other.
    column("messages", "quote", "channel_id = $1 AND created_at >= $2", true),
    part("body"),
    column("runs", "input_text", RUNS, false),
    column("runs", "input_json", RUNS, true),
    column("runs", "output_text", RUNS, false),
    column("runs", "error", RUNS, false),
    column("runs", "wake_reason", RUNS, false),
    step("args_json"),
    step("result_json"),
    column("contexts", "name", CONTEXTS, false),
    column("contexts", "summary", CONTEXTS, false),
    Column {
        names_items: true,
        ..column("jobs", "result", JOBS, true)
    },
    column("jobs", "error", JOBS, false),
    column("triggers", "content", TRIGGERS, false),
];

/// A text, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Cell {
    /// The key of its row.
    pub key: String,
    /// And its place within that.
    pub seq: i64,
    /// The text.
    pub text: String,
}

impl Column {
    /// A page of its texts behind one of them; none if that was the last one.
    pub async fn page(
        &self,
        conn: &mut Conn,
        channel: ChannelId,
        since: Timestamp,
        after: &Cell,
    ) -> Result<Vec<Cell>, StoreError> {
        conn.fetch_all(self.statement(), args![channel, since, &after.key, after.seq])
            .await
    }

    fn statement(&self) -> String {
        let Self {
            name,
            rows,
            key,
            seq,
            of_channel,
            ..
        } = self;
        let (of, walked) = match *rows {
            rows if rows.starts_with("messages m") => ("x.", "m.id"),
            rows if rows.starts_with("runs r") => ("x.", "r.id"),
            _ => ("", *key),
        };
        // A walk begins where the last page ended, by an index of the channel's.
        let sql = format!(
            "SELECT {walked} AS key, CAST({seq} AS BIGINT) AS seq, {of}{name} AS text FROM {rows}
             WHERE {of_channel} AND {of}{name} IS NOT NULL
             AND {walked} >= $3 AND ({walked} > $3 OR {seq} > $4) ORDER BY {walked}, {seq} LIMIT {PAGE}"
        );
        // Of a number in place of a column, the order is that of the key.
        sql.replace(", 0 LIMIT", " LIMIT")
    }

    /// Replaces a text.
    pub async fn replace(&self, tx: &mut Tx, cell: &Cell, text: &str) -> Result<(), StoreError> {
        let Self {
            table, name, key, seq, ..
        } = self;
        let sql = format!("UPDATE {table} SET {name} = $1 WHERE {key} = $2 AND {seq} = $3");
        tx.execute(sql, args![text, &cell.key, cell.seq]).await?;
        Ok(())
    }
}

impl Cell {
    /// Before every text.
    pub const fn first() -> Self {
        Self {
            key: String::new(),
            seq: -1,
            text: String::new(),
        }
    }
}

/// A page of what people other than one wrote in a channel, or the bot before a time, by id: it stays as it is.
pub async fn staying(
    conn: &mut Conn,
    channel: ChannelId,
    but: UserId,
    before: Timestamp,
    after: &str,
) -> Result<Vec<Cell>, StoreError> {
    conn.fetch_all(
        format!(
            "SELECT id AS key, CAST(0 AS BIGINT) AS seq, content AS text FROM messages
             WHERE channel_id = $1 AND (direction = 'inbound' OR created_at < $2) AND id > $3
             AND (user_id IS NULL OR user_id <> $4) ORDER BY id LIMIT {PAGE}"
        ),
        args![channel, before, after, but],
    )
    .await
}

/// A message of any channel.
#[derive(Clone, Debug, FromRow)]
pub struct Anywhere {
    /// Its id.
    pub id: MessageId,
    /// Where.
    pub channel_id: ChannelId,
    /// Its author or recipient.
    pub user_id: Option<UserId>,
    /// The text.
    pub text: String,
}

/// A page of all messages, newest first.
pub async fn newest(conn: &mut Conn, before: Option<MessageId>) -> Result<Vec<Anywhere>, StoreError> {
    conn.fetch_all(
        format!(
            "SELECT id, channel_id, user_id, content AS text FROM messages WHERE ($1 IS NULL OR id < $1)
             ORDER BY id DESC LIMIT {PAGE}"
        ),
        args![before],
    )
    .await
}

/// The names of other people than one, of their accounts, of spaces and channels, and the prompts of agents: they stay
/// as they are.
pub async fn names(conn: &mut Conn, but: UserId) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = conn
        .fetch_all(
            "SELECT name FROM users WHERE id <> $1 UNION SELECT name FROM identities WHERE user_id <> $1
             UNION SELECT handle FROM identities WHERE handle IS NOT NULL AND user_id <> $1
             UNION SELECT name FROM spaces WHERE name IS NOT NULL
             UNION SELECT name FROM channels WHERE name IS NOT NULL AND (user_id IS NULL OR user_id <> $1)
             UNION SELECT name FROM agents UNION SELECT prompt FROM agents",
            args![but],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Deletes the summaries that tell a person's words.
pub async fn forget_summaries(tx: &mut Tx, person: UserId) -> Result<u64, StoreError> {
    tx.execute(
        "UPDATE contexts SET summary = NULL, summary_of = NULL WHERE summary_of LIKE '%' || $1 || '%'",
        args![person],
    )
    .await
}

/// Removes these names from the conversations of a channel: each gets a new name after its next exchange.
pub async fn forget_name(tx: &mut Tx, channel: ChannelId, name: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE contexts SET name = NULL WHERE channel_id = $1 AND name = $2",
        args![channel, name],
    )
    .await?;
    Ok(())
}

/// The names of a channel's conversations.
pub async fn context_names(conn: &mut Conn, channel: ChannelId) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = conn
        .fetch_all(
            "SELECT DISTINCT name FROM contexts WHERE channel_id = $1 AND name IS NOT NULL",
            args![channel],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The memories of others from a space, or from a shared channel: id, key and value.
pub async fn items(conn: &mut Conn, spaces: &[String], shared: &[ChannelId]) -> Result<Vec<Cell>, StoreError> {
    const SELECT: &str = "SELECT id AS key, CAST(0 AS BIGINT) AS seq, key || ' ' || value AS text FROM memory_items";
    let mut found = Vec::new();
    for space in spaces {
        let sql = format!("{SELECT} WHERE origin_space = $1");
        found.extend(conn.fetch_all::<Cell>(sql, args![space]).await?);
    }
    for channel in shared {
        let sql = format!("{SELECT} WHERE context_id IN (SELECT id FROM contexts WHERE channel_id = $1)");
        found.extend(conn.fetch_all::<Cell>(sql, args![*channel]).await?);
    }
    Ok(found)
}

/// Deletes items.
pub async fn delete_items(tx: &mut Tx, ids: &[String]) -> Result<u64, StoreError> {
    each(tx, "DELETE FROM memory_items WHERE id IN ({})", ids).await
}
