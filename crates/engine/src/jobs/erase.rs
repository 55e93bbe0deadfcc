//! Deletes a person and all of their data: their rows, and quotes of them in texts of others.
//!
//! **Erasing.** A person asks in private, gives the code back, and a job of kind `erase` is committed with the
//! cancelling of their runs. `jobs/erase.rs` waits for the last message, deletes files, and commits everything at once:
//! their rows (`store/people/erasure.rs`), and their words in rows of others (`jobs/erase/quotes.rs` decides what
//! quotes them). Cleaning follows: the search index is optimised, SQLite's log emptied (deleted cells are overwritten),
//! PostgreSQL's tables vacuumed. `jobs/maintenance/left_spaces.rs` does the same for groups and servers that the bot
//! was removed from.

pub(crate) mod quotes;
mod traces;

use std::{fs, io::ErrorKind, path::Path, time::Duration};

use async_trait::async_trait;
use clifford_chat::platform::Platform;
use clifford_content::files::Storage;
use clifford_core::{
    clock::Timestamp,
    id::{JobId, UserId},
    people::UserRole,
    runs::CancelReason,
    work::JobKind,
};
use clifford_store::{
    Db, StoreError, Tx, contexts,
    db::{free_space, notify},
    jobs::{self, Job as Row, JobLease, NewJob},
    people::{
        claim,
        erasure::{self, Person},
    },
    removal::Counts,
    runs::{self, RunClaim},
};
use clifford_telemetry::failpoint::{self as crash, Point};
use serde_json::json;

use self::traces::Traces;
use super::{Attempts, Claimed, Job, JobError};
use crate::run::{
    cancel,
    follow_up::{Begins, follow_up_in},
};

/// The file in the data directory that keeps what was typed at the terminal.
pub const TYPED: &str = "chat_history";
/// How long the last message to a person is waited for.
const LAST_MESSAGE: Duration = Duration::from_secs(60);
/// How soon to look again.
const LOOK: Duration = Duration::from_secs(1);

/// The job that deletes a person with every trace.
#[derive(Clone, Copy, Debug)]
pub struct Erase;

#[async_trait]
impl Job for Erase {
    fn kind(&self) -> JobKind {
        JobKind::Erase
    }

    /// A person who asked to be erased is, whatever it takes.
    fn attempts(&self) -> Attempts {
        Attempts::Unlimited
    }

    /// Erases the person once their last message has arrived, or will not.
    async fn run(&self, claimed: &Claimed) -> Result<(), JobError> {
        work(claimed, Payload::of(&claimed.row)).await
    }
}

/// The payload of an erasure.
#[derive(Clone, Copy, Debug)]
struct Payload {
    /// The person; `None`: their rows are gone, and only the cleaning is left.
    person: Option<UserId>,
    /// When they were to be erased.
    asked_at: Timestamp,
}

impl Payload {
    const fn of(row: &Row) -> Self {
        Self {
            person: row.user_id,
            asked_at: row.created_at,
        }
    }

    /// A row of the job for a person.
    const fn row(person: UserId, due_at: Timestamp) -> NewJob {
        NewJob {
            kind: JobKind::Erase,
            mode: None,
            context_id: None,
            user_id: Some(person),
            through: None,
            due_at,
        }
    }
}

/// The result of an erasure.
#[derive(Clone, Debug)]
pub struct Erased {
    /// How many rows of each table were deleted.
    pub counts: Counts,
    /// The bot's owner was erased: it has none now.
    pub was_owner: bool,
    /// Runs that were taken from whoever worked on them, each with the claim that held it.
    pub taken: Vec<RunClaim>,
}

/// Has a person erased: makes the job for it, and ends what is done for them. Returns the runs that were cancelled,
/// each with the claim that held it.
pub async fn begin(tx: &mut Tx, person: UserId, now: Timestamp) -> Result<(JobId, Vec<RunClaim>), StoreError> {
    let job = jobs::insert(tx, Payload::row(person, now), now).await?;
    let job = job.ok_or_else(|| StoreError::Conflict("the job was not made".to_owned()))?;
    Ok((job, cancel_runs(tx, person, now).await?))
}

/// Cancels a person's runs. A new run answers the messages of others in one of them.
async fn cancel_runs(tx: &mut Tx, person: UserId, now: Timestamp) -> Result<Vec<RunClaim>, StoreError> {
    let mut cancelled = Vec::new();
    for id in erasure::unended(tx, person).await? {
        let Some(run) = runs::get(tx, id).await? else { continue };
        if let Some(context) = run.context_id {
            contexts::lock(tx, context).await?;
        }
        erasure::release(tx, id, person).await?;
        cancelled.extend(cancel::tree(tx, id, CancelReason::PersonErased, now).await?);
        if let Some(context) = run.context_id {
            // The end of what else is at work there begins the next.
            follow_up_in(tx, context, run.agent_id, Begins::by_anybody(1), now).await?;
        }
    }
    notify::work(tx).await?;
    Ok(cancelled)
}

async fn work(claimed: &Claimed, Payload { person, asked_at }: Payload) -> Result<(), JobError> {
    let (cx, lease) = (claimed.context(), claimed.lease);
    let now = cx.clock.now();
    if let Some(person) = person
        && now.since(asked_at) < LAST_MESSAGE
        && erasure::awaits_delivery(&mut cx.db.read().await?, person).await?
    {
        return Err(JobError::NotYet(now.after(LOOK)));
    }
    if let Some(person) = person {
        if let Some(known) = erasure::person(&mut cx.db.read().await?, person).await? {
            for account in &known.accounts {
                cx.ambient.forget(&account.platform, &account.platform_user_id);
            }
        }
        typed(&cx.db, person, &cx.tools.services.data_dir).await?;
        let erased = rows(&cx.db, person, lease, cx.tools.services.files.storage(), now).await?;
        for claim in &erased.taken {
            claimed.runs.interrupt(*claim);
        }
        cx.notify.runs.notify_one();
        if erased.was_owner {
            new_owner(&cx.db, now).await?;
        }
    }
    if !finish(&cx.db, lease, now).await? {
        return Err(JobError::NotYet(now.after(LOOK)));
    }
    Ok(())
}

/// Deletes what a person typed at this machine's terminal: the history of its line editor in the data directory.
///
/// # Errors
/// The database does not answer, or the file cannot be deleted.
pub async fn typed(db: &Db, person: UserId, data_dir: &Path) -> Result<(), StoreError> {
    let person = erasure::person(&mut db.read().await?, person).await?;
    let mut accounts = person.into_iter().flat_map(|person| person.accounts);
    if !accounts.any(|account| account.platform == Platform::TERMINAL.as_str()) {
        return Ok(());
    }
    let path = data_dir.join(TYPED);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::Unavailable(format!(
            "{} cannot be deleted: {error}",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Deletes a person's files and rows, and what of their words stands elsewhere. The job goes on without a name.
///
/// # Errors
/// [`StoreError::NotFound`]: the job is somebody else's. Other errors: nothing but files was deleted.
pub async fn rows(
    db: &Db,
    person: UserId,
    lease: JobLease,
    storage: &Storage,
    now: Timestamp,
) -> Result<Erased, StoreError> {
    crash::reach(Point::Erasing);
    // Files first: while their rows are there, they are found again.
    let locations = erasure::files(&mut db.read().await?, person).await?;
    storage.delete(locations).await?;
    // A search for text that others wrote as well takes a while: nobody waits for it.
    let before = looked_for(db, person).await?;
    let erased = db
        .write(move |tx| {
            Box::pin(async move {
                jobs::hold(tx, &lease, now).await?;
                let person = erasure::person(tx, person).await?;
                let person = person.ok_or_else(|| StoreError::NotFound("such person".to_owned()))?;
                erase(tx, &person, before, lease.job).await
            })
        })
        .await?;
    tracing::info!(job_id = %lease.job, rows = ?erased.counts, "erased a person");
    crash::reach(Point::Erased);
    Ok(erased)
}

async fn looked_for(db: &Db, person: UserId) -> Result<Option<Traces>, StoreError> {
    let mut conn = db.read().await?;
    let Some(person) = erasure::person(&mut conn, person).await? else {
        return Ok(None);
    };
    let mut traces = traces::find(&mut conn, &person).await?;
    traces.keep_what_stays(&mut conn).await?;
    Ok(Some(traces))
}

async fn erase(tx: &mut Tx, person: &Person, before: Option<Traces>, job: JobId) -> Result<Erased, StoreError> {
    let mut traces = traces::find(tx, person).await?;
    match before.filter(|before| before.is_of_the_same(&traces)) {
        Some(before) => traces = before,
        // They said something since, or somewhere else.
        None => traces.keep_what_stays(tx).await?,
    }
    traces::part_inputs(tx, person).await?;
    let mut counts = erasure::delete(tx, person, job).await?;
    let taken = traces.remove(tx, &mut counts).await?;
    notify::work(tx).await?;
    Ok(Erased {
        counts,
        was_owner: person.role == UserRole::Owner,
        taken,
    })
}

/// Cleans the space that the rows took, and ends the job. `false`: that has to wait for those who read.
pub async fn finish(db: &Db, lease: JobLease, now: Timestamp) -> Result<bool, StoreError> {
    if !free_space::clean(db).await? {
        return Ok(false);
    }
    db.write(move |tx| {
        Box::pin(async move {
            jobs::hold(tx, &lease, now).await?;
            jobs::finish(tx, &lease, &json!({ "erased": 1 }), now).await
        })
    })
    .await?;
    Ok(true)
}

/// A bot whose owner is erased has none: whoever has the new code is the next one.
async fn new_owner(db: &Db, now: Timestamp) -> Result<(), StoreError> {
    let code = db.write(move |tx| Box::pin(claim::make(tx, now))).await?;
    if let Some(code) = code {
        tracing::warn!(
            code,
            "no owner left, send the code to the bot in a private chat to become its owner"
        );
    }
    Ok(())
}
