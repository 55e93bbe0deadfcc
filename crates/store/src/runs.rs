//! Runs: their rows, and the one place where a status changes. It is long because what one table can be asked
//! stands in one file.

pub mod approvals;
pub mod feedback;
pub mod lanes;
pub mod queue;
pub(crate) mod start;
pub mod steps;
pub mod timing;
pub mod tree;
pub mod views;

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, RunId, UserId, WorkerId},
    row::FromRow,
    run::step::LlmResponse,
    runs::{CancelReason, Run, RunStatus, WakeOn, WakeReason},
    value::args,
};

use super::{
    Conn, StoreError, Tx,
    leases::sql::{FREED, freed},
    messages::{self, Queued},
};
use crate::db::conn::Statement;
pub use crate::runs::start::{BeginOutcome, NewRun, begin, begin_again, insert, insert_if_unchanged, join, reword};

pub(super) const COLUMNS: &str = "id, agent_id, channel_id, user_id, context_id, parent_run_id, root_run_id, kind, level, profile, \
                       mode, input_text, input_json, output_text, allowed_tools, address, platform_roles, status, error, wake_at, \
                       wake_reason, epoch, llm_calls, prompt_tokens, completion_tokens, cached_tokens, cost, \
                       created_at, updated_at";

/// The right to write for a run: what a claim gives. Every write checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The run.
    pub run: RunId,
    /// The worker.
    pub owner: WorkerId,
    /// The claim.
    pub epoch: i64,
}

impl Lease {
    /// The claim that gave it.
    pub const fn claim(&self) -> RunClaim {
        RunClaim {
            run: self.run,
            epoch: self.epoch,
        }
    }
}

/// One claim of a run, whoever made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, FromRow)]
pub struct RunClaim {
    /// The run.
    #[row(rename = "id")]
    pub run: RunId,
    /// The claim.
    pub epoch: i64,
}

impl RunClaim {
    /// The claim that held a run before the one that its row holds now.
    pub const fn before(run: &Run) -> Self {
        Self {
            run: run.id,
            epoch: run.epoch - 1,
        }
    }
}

/// One run.
pub async fn get(conn: &mut Conn, id: RunId) -> Result<Option<Run>, StoreError> {
    Ok(conn
        .fetch_all(format!("SELECT {COLUMNS} FROM runs WHERE id = $1"), args![id])
        .await?
        .pop())
}

/// The runs that a page shows.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only these.
    pub status: Option<RunStatus>,
    /// Only those that wait for this: a word of the caller, who may name anything.
    pub wake_reason: Option<String>,
    /// Only of this person.
    pub user: Option<UserId>,
    /// Only of this channel.
    pub channel: Option<ChannelId>,
    /// Only those that changed at this moment or later.
    pub changed_since: Option<Timestamp>,
    /// Only older than this one.
    pub before: Option<RunId>,
}

/// The coordinator runs that are at work in a context, oldest first: one, or several people's in a shared place.
pub async fn active_in(conn: &mut Conn, context: ContextId) -> Result<Vec<Run>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM runs WHERE context_id = $1 AND kind = 'coordinator' AND status IN ('pending', 'running')
         ORDER BY id"
    );
    conn.fetch_all(sql, args![context]).await
}

/// The coordinator run that ended last in a context, cancelled ones apart.
pub async fn last_ended_in(conn: &mut Conn, context: ContextId) -> Result<Option<Run>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM runs WHERE context_id = $1 AND kind = 'coordinator'
         AND status IN ('completed', 'failed') ORDER BY id DESC LIMIT 1"
    );
    conn.fetch_optional(sql, args![context]).await
}

/// The newest coordinator runs in a context that worked for a person since a time, newest first.
pub async fn changed_since(
    conn: &mut Conn,
    context: ContextId,
    user: UserId,
    since: Timestamp,
) -> Result<Vec<Run>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM runs WHERE context_id = $1 AND kind = 'coordinator' AND user_id = $2
         AND updated_at >= $3 ORDER BY id DESC LIMIT 50"
    );
    conn.fetch_all(sql, args![context, user, since]).await
}

/// The runs in a context that have not ended.
pub async fn unended_in(conn: &mut Conn, context: ContextId) -> Result<Vec<Run>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM runs WHERE context_id = $1 AND kind = 'coordinator'
         AND status IN ('pending', 'running', 'waiting') ORDER BY id"
    );
    conn.fetch_all(sql, args![context]).await
}

/// The changes of a commit to a run's row.
#[derive(Clone, Debug)]
pub struct Advance {
    /// Its next status.
    pub status: RunStatus,
    /// Its result, if it ended.
    pub output: Option<String>,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// When it wakes, if it waits.
    pub wake_at: Option<Timestamp>,
    /// The reason that it waits for.
    pub wake_reason: Option<WakeReason>,
    /// The subagents that wake it.
    pub wake_on: Option<WakeOn>,
    /// Model calls since the last commit.
    pub llm_calls: u64,
    /// Tokens sent since.
    pub prompt_tokens: u64,
    /// Tokens received since.
    pub completion_tokens: u64,
    /// Cached tokens since.
    pub cached_tokens: u64,
    /// Cost since.
    pub cost: f64,
    /// Time worked since.
    pub worked_ms: u64,
}

/// Takes a leased run one step on. A run that was made leased becomes `running` by its first step.
///
/// # Errors
/// [`StoreError::LeaseLost`]: another worker has it, or it ended; nothing was written.
pub async fn advance(tx: &mut Tx, lease: &Lease, change: &Advance, now: Timestamp) -> Result<(), StoreError> {
    let [held] = tx.pipeline([ask_advance(lease, change, now)?]).await?;
    if held.is_empty() {
        return Err(StoreError::LeaseLost(lease.run));
    }
    Ok(())
}

/// As [`advance`], for a run that is at work no more, and what waits in its context, in the same trip.
///
/// # Errors
/// As [`advance`].
pub async fn advance_to_rest(
    tx: &mut Tx,
    lease: &Lease,
    change: &Advance,
    context: ContextId,
    now: Timestamp,
) -> Result<Parked, StoreError> {
    let (sql, args) = ask_advance(lease, change, now)?;
    // The statement sees counts of this transaction.
    let sql = format!("{sql}, (SELECT turn_count FROM contexts c WHERE c.id = runs.context_id) AS turns");
    let asks = [(sql, args), messages::ask_queued(context)];
    let [held, queued] = tx.pipeline(asks).await?;
    let Some((_, turns)) = held.fetch_optional::<(i64, Option<i64>)>()? else {
        return Err(StoreError::LeaseLost(lease.run));
    };
    Ok(Parked {
        queued: queued.fetch_all()?,
        turns: turns.unwrap_or_default(),
    })
}

/// The state around a run that comes to rest.
#[derive(Clone, Debug, Default)]
pub struct Parked {
    /// The messages queued in its conversation.
    pub queued: Vec<Queued>,
    /// How many turns the conversation has.
    pub turns: i64,
}

/// Counts a call of a run that gave no reply. Its steps have none of it.
pub async fn count_lost(tx: &mut Tx, run: RunId, call: &LlmResponse) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE runs SET cost = cost + $4,
             prompt_tokens = CASE WHEN prompt_tokens > 1000000000000000 THEN prompt_tokens ELSE prompt_tokens + $2 END,
             completion_tokens = CASE WHEN completion_tokens > 1000000000000000 THEN completion_tokens
                 ELSE completion_tokens + $3 END
         WHERE id = $1",
        args![
            run,
            call.prompt_tokens_of_all(),
            call.completion_tokens_of_all(),
            call.cost_of_all()
        ],
    )
    .await
}

fn ask_advance(lease: &Lease, change: &Advance, now: Timestamp) -> Result<Statement, StoreError> {
    let goes_on = change.status == RunStatus::Running;
    if !goes_on && !RunStatus::Running.may_become(change.status) {
        return Err(StoreError::WrongState(format!(
            "a running run cannot become {}",
            change.status
        )));
    }
    let ended = change.status.is_ended().then_some(now);
    Ok((
        concat!(
            "UPDATE runs SET status = $1, output_text = COALESCE($2, output_text), error = $3, wake_at = $4,
             wake_reason = $5, wake_on = $6, llm_calls = llm_calls + $7,
             prompt_tokens = CASE WHEN prompt_tokens > 1000000000000000 THEN prompt_tokens ELSE prompt_tokens + $8 END,
             completion_tokens = CASE WHEN completion_tokens > 1000000000000000 THEN completion_tokens
                 ELSE completion_tokens + $9 END,
             cached_tokens = CASE WHEN cached_tokens > 1000000000000000 THEN cached_tokens ELSE cached_tokens + $10 END,
             cost = cost + $11,
             worked_ms = worked_ms + $12, updated_at = $13, ended_at = $14,
             lease_owner = CASE WHEN $15 THEN lease_owner ELSE NULL END,
             lease_until = CASE WHEN $15 THEN lease_until ELSE NULL END,
             deaths = CASE WHEN $15 THEN deaths ELSE 0 END, isolation = CASE WHEN $15 THEN isolation ELSE NULL END,
             quarantined_at = CASE WHEN $1 = 'failed' THEN quarantined_at END
         WHERE ",
            crate::leases::sql::fenced!(runs, 16, 17, 18),
            " RETURNING epoch"
        )
        .to_owned(),
        args![
            change.status,
            change.output.clone(),
            change.error.clone(),
            change.wake_at,
            change.wake_reason,
            change.wake_on,
            change.llm_calls,
            change.prompt_tokens,
            change.completion_tokens,
            change.cached_tokens,
            change.cost,
            change.worked_ms,
            now,
            ended,
            goes_on,
            lease.run,
            lease.owner,
            lease.epoch
        ],
    ))
}

/// Ends a run, and takes it from its worker if it has one. Returns the run as it was, or `None` if it had ended
/// already.
pub async fn cancel(tx: &mut Tx, id: RunId, reason: CancelReason, now: Timestamp) -> Result<Option<Run>, StoreError> {
    let sql = format!(
        "UPDATE runs SET status = 'cancelled', error = $1, updated_at = $2, ended_at = $2, epoch = epoch + 1,
             wake_at = NULL, {FREED}
         WHERE id = $3 AND status IN ('pending', 'running', 'waiting') RETURNING {COLUMNS}"
    );
    Ok(tx.fetch_all(sql, args![reason, now, id]).await?.pop())
}

/// Makes a waiting run pending. `false`: it does not wait, or its context has another run at work: one of the same person,
/// or one in its lane.
pub async fn wake(tx: &mut Tx, id: RunId, reason: WakeReason, now: Timestamp) -> Result<bool, StoreError> {
    // Its context is locked first, so that no message begins another run there at the same moment.
    tx.execute(
        "UPDATE contexts SET turn_count = turn_count
         WHERE id = (SELECT context_id FROM runs WHERE id = $1 AND kind = 'coordinator')",
        args![id],
    )
    .await?;
    let woken = tx
        .execute(
            concat!(
                "UPDATE runs SET status = 'pending', wake_at = NULL, wake_reason = $1, updated_at = $2, ",
                freed!(),
                " WHERE id = $3 AND status = 'waiting'
                 AND (kind <> 'coordinator' OR context_id IS NULL OR NOT EXISTS (
                     SELECT 1 FROM runs other WHERE other.context_id = runs.context_id
                     AND other.kind = 'coordinator' AND other.status IN ('pending', 'running')
                     AND (other.lane = runs.lane OR other.user_id = runs.user_id)))"
            ),
            args![reason, now, id],
        )
        .await?;
    Ok(woken == 1)
}

/// Has a waiting run woken as soon as its context has no other run at work.
pub async fn wake_when_free(tx: &mut Tx, id: RunId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE runs SET wake_at = $1, updated_at = $1 WHERE id = $2 AND status = 'waiting'",
        args![now, id],
    )
    .await?;
    Ok(())
}

/// Locks a run's row until the transaction ends.
pub async fn lock(tx: &mut Tx, id: RunId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute("UPDATE runs SET updated_at = $1 WHERE id = $2", args![now, id])
        .await?;
    Ok(())
}
