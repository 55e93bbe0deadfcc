//! Carries an import out: reads its source once to check and to plan, and once more to write.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use clifford_content::files::Storage;
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, FileId},
};
use clifford_store::{
    Conn, Db, files,
    portable::{self as rows, Kind, Record, Target},
};
use tokio::sync::mpsc;

use crate::{
    ImportError, Item, Options, Plan, Skipped, Source,
    check::Checked,
    ids,
    mapping::{HERE, Mapper},
    plan::{places as places_of, resolve},
    tree::Digest,
};

/// How many things are taken at once, and how many bytes of contents.
const BATCH: usize = 10_000;
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// How many records are committed at once, and how many bytes. Messages of a thousand places touch as many pages of each
/// index, however few they are: with 1,000 in a transaction, SQLite would write those thirty times as often.
const COMMITTED: usize = 30_000;
const MOST_COMMITTED_BYTES: usize = 32 * 1024 * 1024;
/// How often an import begins anew because somebody came up meanwhile.
const TRIES: u32 = 5;

/// The phase under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Everything is read and checked.
    Checking,
    /// Records are written.
    Writing,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The phase under way.
    pub phase: Phase,
    /// How many things are through.
    pub done: u64,
    /// The total, as far as it is known.
    pub total: Option<u64>,
}

/// The result of an import.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan that was carried out.
    pub plan: Plan,
    /// How many records of each kind were stored.
    pub stored: BTreeMap<&'static str, u64>,
    /// How many things were stored by an attempt that was killed.
    pub resumed_at: u64,
}

type Progress<'p> = &'p mut dyn FnMut(Step);

/// Reads a source on a thread of its own, and takes what it reads in batches that are the same each time.
async fn drive(
    source: &Arc<dyn Source>,
    mut each: impl AsyncFnMut(Vec<Item>) -> Result<(), ImportError>,
) -> Result<String, ImportError> {
    let (send, mut receive) = mpsc::channel(2);
    let source = Arc::clone(source);
    let reading = tokio::task::spawn_blocking(move || -> Result<String, ImportError> {
        let (mut batch, mut bytes) = (Vec::with_capacity(BATCH), 0);
        let digest = source.read(&mut |item| {
            bytes += weight(&item);
            batch.push(item);
            if batch.len() >= BATCH || bytes >= MOST_BYTES {
                bytes = 0;
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                return send.blocking_send(full).map_err(|_| ImportError::Stopped);
            }
            Ok(())
        })?;
        send.blocking_send(batch).map_err(|_| ImportError::Stopped)?;
        Ok(digest)
    });
    let mut outcome = Ok(());
    while let Some(batch) = receive.recv().await {
        outcome = each(batch).await;
        if outcome.is_err() {
            break;
        }
    }
    drop(receive);
    let read = reading.await.map_err(|_| ImportError::Stopped)?;
    outcome.and(read)
}

fn weight(item: &Item) -> usize {
    match item {
        Item::Content { bytes, .. } => bytes.as_ref().map_or(0, bytes::Bytes::len),
        Item::Record { record, .. } => match &**record {
            Record::Message(row) => row.content.len(),
            Record::Step(row) => [&row.args_json, &row.result_json]
                .into_iter()
                .flatten()
                .map(String::len)
                .sum(),
            Record::Part(row) => row.body.len(),
            Record::Document(row) => row.pieces.iter().map(String::len).sum(),
            _ => 0,
        },
        Item::Skipped { .. } => 0,
    }
}

/// Checks all of a source, and finds out what an import of it would do. Nothing is written.
///
/// # Errors
/// It is wrong, or does not go with what is here.
pub async fn plan(
    db: &Db,
    source: &Arc<dyn Source>,
    options: Options,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<Plan, ImportError> {
    let mut plan = checked(db, source, options, now, progress).await?;
    let mut skipped = Skips::default();
    let mut mapper = Mapper::new(&plan);
    let mut done = 0;
    drive(source, async |batch| {
        done += count(&batch);
        for item in batch {
            let _ = mapped(&mut mapper, item, &mut skipped);
        }
        progress(Step {
            phase: Phase::Checking,
            done,
            total: Some(plan.total),
        });
        Ok(())
    })
    .await?;
    plan.skipped = skipped.list();
    Ok(plan)
}

async fn checked(
    db: &Db,
    source: &Arc<dyn Source>,
    options: Options,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<Plan, ImportError> {
    let mut conn = db.read().await?;
    let mut checked = Checked::new(options.owner, now);
    let (mut records, mut already_here) = (BTreeMap::new(), BTreeMap::new());
    let mut done = 0;
    let digest = drive(source, async |batch| {
        done += count(&batch);
        for item in &batch {
            if let Item::Record { record, at } = item {
                checked.take(record).map_err(|why| ImportError::at(at, why))?;
                *records.entry(record.kind().plural()).or_insert(0) += 1;
            }
        }
        count_known(&mut conn, &batch, &mut already_here).await?;
        progress(Step {
            phase: Phase::Checking,
            done,
            total: None,
        });
        Ok(())
    })
    .await?;
    checked.end().map_err(ImportError::Input)?;
    let (targets, people) = resolve(&mut conn, &checked, options).await?;
    let places = places_of(&checked, &targets, &people);
    Ok(Plan {
        format: source.format(),
        digest,
        records,
        already_here,
        people,
        places,
        skipped: Vec::new(),
        targets,
        checked: Arc::new(checked),
        options,
        total: done,
    })
}

fn count(batch: &[Item]) -> u64 {
    u64::try_from(batch.len()).unwrap_or(u64::MAX)
}

async fn count_known(
    conn: &mut Conn,
    batch: &[Item],
    already_here: &mut BTreeMap<&'static str, u64>,
) -> Result<(), ImportError> {
    let mut ids: BTreeMap<Kind, Vec<_>> = BTreeMap::new();
    for item in batch {
        if let Item::Record { record, .. } = item
            && let Some(id) = record.id()
        {
            ids.entry(record.kind()).or_default().push(id);
        }
    }
    for (kind, ids) in ids {
        let there = rows::there(conn, kind, &ids).await?;
        if !there.is_empty() {
            *already_here.entry(kind.plural()).or_insert(0) += u64::try_from(there.len()).unwrap_or(u64::MAX);
        }
    }
    Ok(())
}

/// The records that are left out, counted.
#[derive(Default)]
struct Skips(BTreeMap<(&'static str, &'static str), u64>);

impl Skips {
    fn add(&mut self, what: &'static str, why: &'static str) {
        *self.0.entry((what, why)).or_insert(0) += 1;
    }

    fn list(self) -> Vec<Skipped> {
        let of = |((what, why), count): ((&str, &str), u64)| Skipped {
            what: what.to_owned(),
            why: why.to_owned(),
            count,
        };
        self.0.into_iter().map(of).collect()
    }
}

/// The record that is stored of something.
fn mapped(mapper: &mut Mapper<'_>, item: Item, skipped: &mut Skips) -> Option<Record> {
    match item {
        Item::Record { record, .. } => {
            let kind = record.kind();
            match mapper.map(*record) {
                Ok(record) => return Some(record),
                Err(HERE) => {}
                Err(why) => skipped.add(kind.plural(), why),
            }
        }
        Item::Skipped { what, why } => skipped.add(what, why),
        Item::Content { id, bytes: None, .. } => {
            mapper.too_large.insert(id);
            skipped.add("contents of files", "larger than files.max_file_bytes");
        }
        Item::Content { .. } => {}
    }
    None
}

/// Imports a source: what is here already stays as it is.
///
/// # Errors
/// It is wrong, does not go with what is here, or the database does not answer. All that was written stays, and the
/// next attempt goes on there.
pub async fn import(
    db: &Db,
    storage: &Storage,
    source: &Arc<dyn Source>,
    options: Options,
    agent: AgentId,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<Outcome, ImportError> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let plan = checked(db, source, options, now, progress).await?;
        let target = Target {
            agent,
            now,
            locations: HashMap::new(),
            unknown_answers: Vec::new(),
        };
        let goes_on = attempt == 1;
        match write(db, storage, source, plan, &target, goes_on, progress).await {
            Err(error) if error.is_passing() && attempt < TRIES => {}
            outcome => return outcome,
        }
    }
}

/// The name under which it is kept how far an import is. Nobody reads out of it for whom that was.
fn name_of(plan: &Plan) -> String {
    let whose = plan.options.owner.map(|owner| owner.to_string()).unwrap_or_default();
    let trusted = if plan.options.is_trusted { "trusted" } else { "" };
    let mut name = Digest::default();
    name.add(&format!("{whose}{trusted}"), &plan.digest);
    name.finish()
}

async fn write(
    db: &Db,
    storage: &Storage,
    source: &Arc<dyn Source>,
    mut plan: Plan,
    target: &Target,
    goes_on: bool,
    progress: Progress<'_>,
) -> Result<Outcome, ImportError> {
    let name = name_of(&plan);
    let known = rows::progress(&mut db.read().await?, &name).await?;
    // A complete one is looked over from its beginning: what was deleted since comes back.
    let known = known.filter(|known| goes_on && known.ended_at.is_none());
    let resumed_at = known.map_or(0, |known| known.reached);
    let (mut skipped, mut stored) = (Skips::default(), BTreeMap::new());
    let mut mapper = Mapper::new(&plan);
    let mut done = 0;
    let mut here = HashSet::new();
    let (mut records, mut bytes) = (Vec::new(), 0);
    let digest = drive(source, async |batch| {
        store_contents(db, storage, &batch, &mut here, target.now).await?;
        for item in batch {
            done += 1;
            let weight = weight(&item);
            if let Some(record) = mapped(&mut mapper, item, &mut skipped)
                && done > resumed_at
            {
                bytes += weight;
                records.push(record);
            }
        }
        let is_complete = done >= plan.total;
        let is_much = records.len() >= COMMITTED || bytes >= MOST_COMMITTED_BYTES;
        if done > resumed_at && (is_complete || is_much) {
            let records = std::mem::take(&mut records);
            bytes = 0;
            let target = of_batch(target, storage, &records, &plan);
            let of = Batch {
                name: name.clone(),
                source: plan.format.as_str(),
                reached: done,
                is_complete,
            };
            for (kind, count) in commit(db, records, target, of).await? {
                *stored.entry(kind.plural()).or_insert(0) += count;
            }
        }
        progress(Step {
            phase: Phase::Writing,
            done,
            total: Some(plan.total),
        });
        Ok(())
    })
    .await?;
    if digest != plan.digest {
        return Err(ImportError::Input("it was changed while it was read".to_owned()));
    }
    plan.skipped = skipped.list();
    stored.retain(|_, count| *count > 0);
    Ok(Outcome {
        plan,
        stored,
        resumed_at,
    })
}

/// Where the records of a batch go.
fn of_batch(target: &Target, storage: &Storage, records: &[Record], plan: &Plan) -> Target {
    let mut target = target.clone();
    for record in records {
        match record {
            Record::File(row) if row.sha256.is_some() => {
                target.locations.insert(row.id, storage.place(row.id).to_string());
            }
            Record::Context(row) => {
                let known = plan
                    .checked
                    .contexts
                    .get(&row.id)
                    .filter(|known| known.has_unknown_answers);
                if let Some(known) = known {
                    let run = ids::stable(known.created_at, &["import", &row.id.to_string()]);
                    target.unknown_answers.push((row.id, run));
                }
            }
            _ => {}
        }
    }
    target
}

/// Stores the contents of files that are not here, before their rows.
async fn store_contents(
    db: &Db,
    storage: &Storage,
    batch: &[Item],
    here: &mut HashSet<FileId>,
    now: Timestamp,
) -> Result<(), ImportError> {
    for item in batch {
        let Item::Content {
            id, bytes: Some(bytes), ..
        } = item
        else {
            continue;
        };
        let there = rows::there(&mut db.read().await?, Kind::File, &[id.0]).await?;
        if !there.is_empty() || !here.insert(*id) {
            continue;
        }
        let location = storage.place(*id);
        let loose = location.to_string();
        db.write(move |tx| Box::pin(async move { files::loose(tx, &loose, now).await }))
            .await?;
        let put = storage.put(&location, bytes.clone()).await;
        put.map_err(|error| ImportError::Storage(error.to_string()))?;
    }
    Ok(())
}

/// How far a batch brings an import.
struct Batch {
    name: String,
    source: &'static str,
    reached: u64,
    is_complete: bool,
}

async fn commit(db: &Db, records: Vec<Record>, target: Target, of: Batch) -> Result<rows::Inserted, ImportError> {
    let inserted = db
        .write(move |tx| {
            Box::pin(async move {
                let inserted = rows::insert(tx, records, &target).await?;
                for location in target.locations.values() {
                    files::not_loose(tx, location).await?;
                }
                rows::mark(tx, &of.name, of.source, of.reached, of.is_complete, target.now).await?;
                Ok(inserted)
            })
        })
        .await?;
    Ok(inserted)
}
