//! Writes records. Each is stored once: what has its id, or says the same by another, stays as it is.

use std::{collections::HashMap, fmt::Write as _};

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ContextId, FileId, RunId},
    value::{Value, args},
};
use uuid::Uuid;

use super::records::{
    Channel, Context, Document, File, Kind, MemoryItem, Message, Person, Record, Reminder, Run, Setting, Space,
};
use crate::{
    StoreError, Tx,
    documents::{self, NewChunk},
};

/// How many arguments a statement has at most; SQLite takes 32,766.
const ARGUMENTS: usize = 30_000;
/// Keeps the pages of a batch in memory until its commit (128 MB): else SQLite writes them again and again.
const CACHE: &str = "PRAGMA cache_size = -131072";
/// The most rows of a statement. SQLite looks each argument up among all of them by its name, and every statement is
/// near; to PostgreSQL each is a trip.
const ROWS: usize = 16;
const ROWS_OF_POSTGRES: usize = 500;
/// The profile of the runs that stand for what was read where imported answers came from.
pub(super) const PROFILE: &str = "import";

/// Where records go.
#[derive(Clone, Debug)]
pub struct Target {
    /// The agent of imported runs.
    pub agent: AgentId,
    /// The time of the import.
    pub now: Timestamp,
    /// Where the contents of files are.
    pub locations: HashMap<FileId, String>,
    /// Conversations in which something stands as said by a bot that no run of theirs said: a run stands for what that
    /// had read.
    pub unknown_answers: Vec<(ContextId, Uuid)>,
}

/// How many records of each kind were new.
pub type Inserted = Vec<(Kind, u64)>;

/// Writes records whose ids are those of this database.
///
/// # Errors
/// [`StoreError::WrongState`]: somebody came up meanwhile whom the records take for new; begin again.
pub async fn insert(tx: &mut Tx, records: Vec<Record>, target: &Target) -> Result<Inserted, StoreError> {
    if !tx.is_postgres() {
        tx.execute(CACHE, args![]).await?;
    }
    let mut inserted = Inserted::new();
    let mut batch: Option<(Kind, Vec<Vec<Value>>)> = None;
    for record in records {
        let kind = record.kind();
        let is_other = |(of, _): &(Kind, Vec<Vec<Value>>)| *of != kind;
        if batch.as_ref().is_some_and(is_other) {
            flush(tx, batch.take(), target, &mut inserted).await?;
        }
        let values = match record {
            Record::Person(person) => {
                inserted.push((kind, u64::from(insert_person(tx, &person).await?)));
                continue;
            }
            Record::Document(document) => {
                inserted.push((kind, u64::from(insert_document(tx, *document).await?)));
                continue;
            }
            Record::Space(row) => row.values(),
            Record::Channel(row) => row.values(),
            Record::Context(row) => row.values(),
            Record::Run(row) => row.values(),
            Record::Message(row) => row.values(),
            Record::MemoryItem(row) => row.values(),
            Record::Setting(row) => row.values(),
            Record::Reminder(row) => row.values(),
            Record::File(row) => {
                let location = target.locations.get(&row.id).cloned();
                let location = location.unwrap_or_else(|| format!("import:{}", row.id));
                let mut values = row.values();
                values.push(location.into());
                values
            }
        };
        batch.get_or_insert_with(|| (kind, Vec::new())).1.push(values);
    }
    flush(tx, batch, target, &mut inserted).await?;
    Ok(inserted)
}

/// The columns of a kind's table beside those of its records, with their values.
fn further(kind: Kind, target: &Target) -> (&'static str, String) {
    let now = target.now.0;
    match kind {
        Kind::Channel => ("config, updated_at", format!("'{{}}', {now}")),
        Kind::Run => (
            "agent_id, epoch, tainted, updated_at",
            format!("'{}', 0, TRUE, {now}", target.agent),
        ),
        Kind::Message => ("attempts", "0".to_owned()),
        Kind::MemoryItem => ("own_at", "0".to_owned()),
        Kind::Reminder => ("kind, webhook", "'reminder', FALSE".to_owned()),
        _ => ("", String::new()),
    }
}

const fn columns(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Space => Space::COLUMNS,
        Kind::Channel => Channel::COLUMNS,
        Kind::Context => Context::COLUMNS,
        Kind::Run => Run::COLUMNS,
        Kind::Message => Message::COLUMNS,
        Kind::MemoryItem => MemoryItem::COLUMNS,
        Kind::Setting => Setting::COLUMNS,
        Kind::Reminder => Reminder::COLUMNS,
        Kind::File => File::COLUMNS,
        Kind::Person | Kind::Document => &[],
    }
}

async fn flush(
    tx: &mut Tx,
    batch: Option<(Kind, Vec<Vec<Value>>)>,
    target: &Target,
    inserted: &mut Inserted,
) -> Result<(), StoreError> {
    let Some((kind, mut rows)) = batch else { return Ok(()) };
    let mut names = columns(kind).join(", ");
    if kind == Kind::File {
        names.push_str(", location");
    }
    let (more, values) = further(kind, target);
    let (more, values) = match more {
        "" => (String::new(), String::new()),
        more => (format!(", {more}"), format!(", {values}")),
    };
    let width = rows.first().map_or(1, Vec::len);
    let most = if tx.is_postgres() { ROWS_OF_POSTGRES } else { ROWS };
    let most = (ARGUMENTS / width).clamp(1, most);
    while !rows.is_empty() {
        let rest = rows.split_off(rows.len().min(most));
        let mut sql = format!("INSERT INTO {} ({names}{more}) VALUES ", kind.table());
        for row in 0..rows.len() {
            sql.push_str(if row == 0 { "(" } else { ", (" });
            for column in 1..=width {
                let place = row * width + column;
                let _ = match column_of(kind, column) {
                    // A message that came by itself meanwhile has another id; one of elsewhere gets no file by this.
                    Some("message_id") => write!(
                        sql,
                        "(SELECT m.id FROM messages m WHERE m.id = ${place} AND m.channel_id = ${}), ",
                        place - column + place_of(kind, "channel_id")
                    ),
                    _ => write!(sql, "${place}, "),
                };
            }
            sql.truncate(sql.len() - 2);
            sql.push_str(&values);
            sql.push(')');
        }
        sql.push_str(" ON CONFLICT DO NOTHING");
        let count = tx.execute(sql, rows.into_iter().flatten().collect()).await?;
        inserted.push((kind, count));
        rows = rest;
    }
    if kind == Kind::Context {
        for (context, run) in &target.unknown_answers {
            stand_in(tx, *context, RunId(*run), target).await?;
        }
    }
    Ok(())
}

/// The name of a column that is looked up before it is stored.
fn column_of(kind: Kind, place: usize) -> Option<&'static str> {
    (kind == Kind::File).then(|| columns(kind).get(place - 1).copied())?
}

/// The place of a column among those of its kind, from 1.
fn place_of(kind: Kind, name: &str) -> usize {
    columns(kind)
        .iter()
        .position(|column| *column == name)
        .map_or(0, |place| place + 1)
}

/// Stores a person with their accounts, unless they are here. `false`: they are.
async fn insert_person(tx: &mut Tx, person: &Person) -> Result<bool, StoreError> {
    let role = if person.is_allowed { "member" } else { "stranger" };
    let is_new = tx
        .execute(
            "INSERT INTO users (id, name, role, language, time_zone, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (id) DO NOTHING",
            args![
                person.id,
                &person.name,
                role,
                person.language.clone(),
                person.time_zone.clone(),
                person.created_at
            ],
        )
        .await?;
    if is_new == 0 {
        return Ok(false);
    }
    for account in &person.accounts {
        let is_new = tx
            .execute(
                "INSERT INTO identities (platform, platform_user_id, user_id, name, handle, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (platform, platform_user_id) DO NOTHING",
                args![
                    &account.platform,
                    &account.account,
                    person.id,
                    &account.name,
                    account.handle.clone(),
                    account.created_at
                ],
            )
            .await?;
        if is_new == 0 {
            return Err(came_up("an account"));
        }
    }
    Ok(true)
}

/// Somebody came up while an import ran that takes them for new.
fn came_up(what: &str) -> StoreError {
    StoreError::WrongState(format!("{what} of the import came up here meanwhile: begin again"))
}

/// Stores a document that is not here, with its pieces, where it is found.
async fn insert_document(tx: &mut Tx, document: Document) -> Result<bool, StoreError> {
    if tx
        .exists(
            "SELECT CAST(1 AS BIGINT) FROM documents WHERE id = $1",
            args![document.id],
        )
        .await?
    {
        return Ok(false);
    }
    let row = documents::Document {
        id: document.id,
        user_id: document.user_id,
        made_by: document.made_by,
        channel_id: document.channel_id,
        file_id: None,
        title: document.title,
        created_at: document.created_at,
    };
    let pieces: Vec<_> = (document.pieces.into_iter())
        .map(|content| NewChunk {
            content,
            embedding: None,
        })
        .collect();
    documents::insert(tx, &row, &format!("import:{}", row.id), &pieces).await
}

/// Stores a run that stands for what a bot had read whose answers are imported without their runs.
async fn stand_in(tx: &mut Tx, context: ContextId, run: RunId, target: &Target) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO runs (id, agent_id, channel_id, user_id, context_id, root_run_id, kind, level, profile, input_text,
             status, epoch, llm_calls, prompt_tokens, completion_tokens, cached_tokens, cost, worked_ms, created_at,
             updated_at, ended_at, tainted)
         SELECT $1, '{}', channel_id, user_id, id, $1, 'coordinator', 0, '{PROFILE}', '', 'completed', 0, 0, 0, 0, 0, 0, 0,
             created_at, {now}, created_at, TRUE
         FROM contexts WHERE id = $2 ON CONFLICT (id) DO NOTHING",
        target.agent,
        now = target.now.0
    );
    tx.execute(sql, args![run, context]).await.map(|_| ())
}
