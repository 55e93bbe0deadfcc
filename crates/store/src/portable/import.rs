//! Writes records. Each is stored once: what has its id, or says the same by another, stays as it is.

mod nested;
mod statements;

use std::collections::HashMap;

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ContextId, FileId, RunId},
    value::{Value, args},
};
use uuid::Uuid;

use self::statements::Statements;
use super::records::{Kind, Record};
use crate::{StoreError, Tx};

/// Keeps the pages of a batch in memory until its commit (128 MB), and copies the log into the file less often: a page of
/// an index that many batches change is written once then.
const OF_SQLITE: [&str; 2] = ["PRAGMA cache_size = -131072", "PRAGMA wal_autocheckpoint = 32768"];
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
        for pragma in OF_SQLITE {
            tx.execute(pragma, args![]).await?;
        }
    }
    let mut inserted = Inserted::new();
    let mut batch: Option<(Kind, Vec<Vec<Value>>)> = None;
    for mut record in records {
        let kind = record.kind();
        let is_other = |(of, _): &(Kind, Vec<Vec<Value>>)| *of != kind;
        if batch.as_ref().is_some_and(is_other) {
            flush(tx, batch.take(), target, &mut inserted).await?;
        }
        let mut location = None;
        match &mut record {
            Record::Run(row) => row.agent_id = row.agent_id.or(Some(target.agent)),
            Record::File(row) => {
                let known = target.locations.get(&row.id).cloned();
                location = Some(known.unwrap_or_else(|| format!("import:{}", row.id)));
            }
            _ => {}
        }
        match record.values() {
            Ok(mut values) => {
                values.extend(location.map(Value::from));
                batch.get_or_insert_with(|| (kind, Vec::new())).1.push(values);
            }
            Err(record) => inserted.push((kind, u64::from(nested::insert(tx, record).await?))),
        }
    }
    flush(tx, batch, target, &mut inserted).await?;
    Ok(inserted)
}

async fn flush(
    tx: &mut Tx,
    batch: Option<(Kind, Vec<Vec<Value>>)>,
    target: &Target,
    inserted: &mut Inserted,
) -> Result<(), StoreError> {
    let Some((kind, mut rows)) = batch else { return Ok(()) };
    if kind == Kind::Message {
        by_place(&mut rows);
    }
    let width = rows.first().map_or(1, Vec::len);
    let mut statements = Statements::new(kind, width, target, tx.is_postgres());
    while !rows.is_empty() {
        let rest = rows.split_off(rows.len().min(statements.most()));
        let sql = statements.insert(rows.len());
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

/// Sorts messages by where they are: those of a place stand together in five indexes of their table. Written in the order
/// of their times, which mixes the places, a million takes twice as long.
fn by_place(rows: &mut [Vec<Value>]) {
    let place = |name: &str| Kind::Message.fields().iter().position(|field| *field == name);
    let (Some(channel), Some(id)) = (place("channel_id"), place("id")) else {
        return;
    };
    let text = |row: &Vec<Value>, place: usize| match row.get(place) {
        Some(Value::Text(Some(text))) => text.clone(),
        _ => String::new(),
    };
    rows.sort_by_cached_key(|row| (text(row, channel), text(row, id)));
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
