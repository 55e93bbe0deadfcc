//! Files: whose each is, where it belongs, and where its content is.

use std::collections::BTreeSet;

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, FileId, MessageId, RunId, SpaceId, UserId},
    row::FromRow,
    search::Scope,
    value::{Value, args},
};
use serde::Serialize;

use super::{Conn, StoreError, Tx};

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct File {
    /// Its id.
    #[schema(value_type = String)]
    pub id: FileId,
    /// The owner of the file.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// The channel that it belongs to.
    #[schema(value_type = Option<String>)]
    pub channel_id: Option<ChannelId>,
    /// The space of that.
    #[schema(value_type = Option<String>)]
    pub space_id: Option<SpaceId>,
    /// The message that it came with.
    #[schema(value_type = Option<String>)]
    pub message_id: Option<MessageId>,
    /// The run at the root of the tree that made it.
    #[schema(value_type = Option<String>)]
    pub root_run_id: Option<RunId>,
    /// Its name.
    pub name: String,
    /// The media type.
    pub media_type: Option<String>,
    /// How many bytes it has, as far as that is known.
    pub size: Option<i64>,
    /// The SHA-256 of its content, once that is kept here.
    pub sha256: Option<String>,
    /// Where its content is.
    #[serde(skip)]
    pub location: String,
    /// The platform's word for what it came as: `voice`, `photo`.
    #[serde(skip)]
    pub came_as: Option<String>,
    /// How long it plays, as the platform told.
    #[serde(skip)]
    pub seconds: Option<i64>,
    /// It was forwarded, or came with the message of somebody else that is answered.
    #[serde(skip)]
    pub of_others: bool,
    /// When it came.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
}

impl File {
    /// Whether its person said it themselves.
    pub fn is_own_voice(&self) -> bool {
        self.came_as.as_deref() == Some("voice") && !self.of_others
    }

    /// Whether something may be said in it.
    pub fn is_recording(&self) -> bool {
        matches!(self.came_as.as_deref(), Some("voice" | "audio" | "video_note"))
            || (self.media_type.as_deref()).is_some_and(|kind| kind.starts_with("audio/"))
    }
}

const SELECT: &str = "SELECT id, user_id, channel_id, space_id, message_id, root_run_id, name, media_type, size, sha256, \
                      location, created_at, came_as, seconds, of_others FROM files";

/// Stores a file, unless there is one of its key; returns whether it did.
pub async fn insert(tx: &mut Tx, file: &File, key: Option<&str>) -> Result<bool, StoreError> {
    let inserted = tx
        .execute(
            "INSERT INTO files (id, user_id, channel_id, space_id, message_id, root_run_id, name, media_type, size,
                 sha256, location, created_at, idempotency_key)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (idempotency_key) DO NOTHING",
            args![
                file.id,
                file.user_id,
                file.channel_id,
                file.space_id,
                file.message_id,
                file.root_run_id,
                &file.name,
                file.media_type.clone(),
                file.size.map_or(Value::Int(None), Value::from),
                file.sha256.clone(),
                &file.location,
                file.created_at,
                key.map(str::to_owned)
            ],
        )
        .await?;
    Ok(inserted == 1)
}

/// Stores a file that came with a message.
pub async fn insert_attachment(tx: &mut Tx, file: &File) -> Result<(), StoreError> {
    tx.defer(
        "INSERT INTO files (id, user_id, channel_id, space_id, message_id, name, media_type, size, location, created_at,
                 came_as, seconds, of_others)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        args![
            file.id,
            file.user_id,
            file.channel_id,
            file.space_id,
            file.message_id,
            &file.name,
            file.media_type.clone(),
            file.size.map_or(Value::Int(None), Value::from),
            &file.location,
            file.created_at,
            file.came_as.clone(),
            file.seconds.map_or(Value::Int(None), Value::from),
            file.of_others
        ],
    )
    .await
}

/// One file.
pub async fn get(conn: &mut Conn, id: FileId) -> Result<Option<File>, StoreError> {
    conn.fetch_optional(format!("{SELECT} WHERE id = $1"), args![id]).await
}

/// The file that was stored under a key.
pub async fn by_key(conn: &mut Conn, key: &str) -> Result<Option<File>, StoreError> {
    conn.fetch_optional(format!("{SELECT} WHERE idempotency_key = $1"), args![key])
        .await
}

/// The files that came with the messages of a run, in order.
pub async fn of_run(conn: &mut Conn, run: RunId) -> Result<Vec<File>, StoreError> {
    conn.fetch_all(
        format!("{SELECT} WHERE message_id IN (SELECT id FROM messages WHERE run_id = $1 AND direction = 'inbound') ORDER BY id"),
        args![run],
    )
    .await
}

/// The files that came with a message, in order.
pub async fn of_message(conn: &mut Conn, message: MessageId) -> Result<Vec<File>, StoreError> {
    conn.fetch_all(format!("{SELECT} WHERE message_id = $1 ORDER BY id"), args![message])
        .await
}

/// The newest files that may be seen, whose names hold a text, before one of them; newest first.
pub async fn visible(
    conn: &mut Conn,
    scope: Scope,
    name: Option<&str>,
    before: Option<FileId>,
    limit: u32,
) -> Result<Vec<File>, StoreError> {
    let (mut sql, mut args) = match scope {
        Scope::Person(user) => (format!("{SELECT} WHERE user_id = $1"), args![user]),
        Scope::Channel(channel) => (format!("{SELECT} WHERE channel_id = $1"), args![channel]),
        Scope::Both(user, channel) => (
            format!("{SELECT} WHERE user_id = $1 AND channel_id = $2"),
            args![user, channel],
        ),
        Scope::Nothing => return Ok(Vec::new()),
    };
    if let Some(name) = name {
        let holds: Vec<_> = spellings(name)
            .into_iter()
            .map(|spelling| {
                args.push(spelling.into());
                format!("POSITION_OF(LOWER(name), ${}) > 0", args.len())
            })
            .collect();
        sql.push_str(&format!(" AND ({})", holds.join(" OR ")));
    }
    if let Some(before) = before {
        args.push(before.into());
        sql.push_str(&format!(" AND id < ${}", args.len()));
    }
    args.push(limit.into());
    sql.push_str(&format!(" ORDER BY id DESC LIMIT ${}", args.len()));
    // The one word for it that the engines do not share.
    let position = if conn.is_postgres() { "STRPOS" } else { "INSTR" };
    conn.fetch_all(sql.replace("POSITION_OF", position), args).await
}

/// How a name may be written that SQLite has lowered: it knows the capitals of ASCII alone. The others are as they were
/// asked for, small, or large: the first, that of each word, or all.
fn spellings(name: &str) -> BTreeSet<String> {
    let lower = name.to_lowercase();
    let mut rest = lower.chars();
    let first = rest.next().map(upper).into_iter().chain(rest);
    let mut is_inside = false;
    let words = lower.chars().map(|letter| {
        let begins = !std::mem::replace(&mut is_inside, letter.is_alphanumeric());
        if begins { upper(letter) } else { letter }
    });
    BTreeSet::from([
        name.to_ascii_lowercase(),
        first.collect(),
        words.collect(),
        lower.chars().map(upper).collect(),
        lower,
    ])
}

/// The capital of a letter beyond ASCII that has one of its own.
fn upper(letter: char) -> char {
    let mut upper = letter.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if !letter.is_ascii() => upper,
        _ => letter,
    }
}

/// How many bytes of a person's files are kept here.
pub async fn kept_of(conn: &mut Conn, user: UserId) -> Result<i64, StoreError> {
    let row: (Option<i64>,) = conn
        .fetch_one(
            "SELECT CAST(SUM(size) AS BIGINT) FROM files WHERE user_id = $1 AND sha256 IS NOT NULL",
            args![user],
        )
        .await?;
    Ok(row.0.unwrap_or(0))
}

/// The content of a file is kept here from now on.
pub async fn record_content(tx: &mut Tx, file: &File) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "UPDATE files SET location = $1, size = $2, sha256 = $3, media_type = $4 WHERE id = $5 AND sha256 IS NULL",
            args![
                &file.location,
                file.size.map_or(Value::Int(None), Value::from),
                file.sha256.clone(),
                file.media_type.clone(),
                file.id
            ],
        )
        .await?;
    Ok(changed == 1)
}

/// A file that goes with a message is its person's own voice, of so many seconds.
pub async fn mark_voice(tx: &mut Tx, id: FileId, seconds: Option<u32>) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE files SET came_as = 'voice', seconds = $1 WHERE id = $2",
        args![seconds.map(i64::from), id],
    )
    .await
}

/// A file goes with a message.
pub async fn attach(
    tx: &mut Tx,
    id: FileId,
    message: MessageId,
    channel: ChannelId,
    space: Option<SpaceId>,
) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE files SET message_id = $1, channel_id = $2, space_id = $3 WHERE id = $4 AND message_id IS NULL",
        args![message, channel, space, id],
    )
    .await
}

/// Deletes a file's row; its content is deleted a little later.
pub async fn delete(tx: &mut Tx, id: FileId) -> Result<bool, StoreError> {
    Ok(tx.execute("DELETE FROM files WHERE id = $1", args![id]).await? == 1)
}

/// Something is about to be stored there.
pub async fn loose(tx: &mut Tx, location: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.defer(
        "INSERT INTO loose_files (location, since) VALUES ($1, $2) ON CONFLICT (location) DO NOTHING",
        args![location, now],
    )
    .await
}

/// The content at a location belongs to a file now, or is deleted.
pub async fn not_loose(tx: &mut Tx, location: &str) -> Result<(), StoreError> {
    tx.defer("DELETE FROM loose_files WHERE location = $1", args![location])
        .await
}

/// The locations that have belonged to no file since before a time.
pub async fn loose_before(conn: &mut Conn, before: Timestamp, limit: u32) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = conn
        .fetch_all(
            "SELECT location FROM loose_files WHERE since <= $1
             AND NOT EXISTS (SELECT 1 FROM files WHERE files.location = loose_files.location)
             ORDER BY since LIMIT $2",
            args![before, limit],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Counts a death on a file that a suspect is about to read, which is taken back when it was.
pub async fn announce(tx: &mut Tx, id: FileId) -> Result<(), StoreError> {
    tx.execute("UPDATE files SET deaths = deaths + 1 WHERE id = $1", args![id])
        .await?;
    Ok(())
}

/// A file was read by a suspect.
pub async fn was_read(tx: &mut Tx, id: FileId) -> Result<(), StoreError> {
    tx.execute("UPDATE files SET deaths = 0 WHERE id = $1", args![id])
        .await?;
    Ok(())
}

/// How often a process died right when a suspect read a file, and whether it was set aside.
pub async fn deaths(conn: &mut Conn, id: FileId) -> Result<(i64, bool), StoreError> {
    let row: Option<(i64, Option<Timestamp>)> = conn
        .fetch_optional("SELECT deaths, quarantined_at FROM files WHERE id = $1", args![id])
        .await?;
    Ok(row.map_or((0, false), |(deaths, at)| (deaths, at.is_some())))
}

/// Sets a file aside: it is read no more.
pub async fn quarantine(tx: &mut Tx, id: FileId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE files SET quarantined_at = $1 WHERE id = $2 AND quarantined_at IS NULL",
        args![now, id],
    )
    .await?;
    Ok(())
}
