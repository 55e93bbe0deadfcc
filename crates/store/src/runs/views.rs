//! Runs for lists and pages. One that is made with its worker's lease is at work from then on, though its row says so
//! only with its first step: a write more for each run would tell nobody else anything.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, RunId, UserId},
    row::FromRow,
    runs::{Run, RunStatus, WakeReason},
    value::{Value, args},
};

use crate::{
    Conn, StoreError,
    db::page,
    runs::{COLUMNS, Filter},
};

/// Where a run stands at `$1`, for those who look.
macro_rules! seen {
    () => {
        "CASE WHEN status = 'pending' AND lease_until > $1 AND (wake_at IS NULL OR wake_at <= $1) THEN 'running' \
         ELSE status END"
    };
}

fn select() -> String {
    let columns = COLUMNS.replacen(" status,", concat!(" ", seen!(), " AS status,"), 1);
    format!("SELECT {columns} FROM runs")
}

/// One run.
pub async fn get(conn: &mut Conn, id: RunId, now: Timestamp) -> Result<Option<Run>, StoreError> {
    conn.fetch_optional(format!("{} WHERE id = $2", select()), args![now, id])
        .await
}

/// A page of runs, newest first.
pub async fn page(conn: &mut Conn, filter: &Filter, limit: u32, now: Timestamp) -> Result<Vec<Run>, StoreError> {
    // By the row as well: rows are found by it. One that is seen at work may be pending there.
    let is_unended = filter.status.is_some_and(|status| !status.is_ended());
    let at_work = filter.status.filter(|status| *status == RunStatus::Running);
    let by_row = filter.status.filter(|status| *status != RunStatus::Running);
    // Few have not ended, and an index finds those at once; without `||` one of all runs of the person could be taken.
    let (of_user, of_channel) = if is_unended {
        ("user_id || '' =", "channel_id || '' =")
    } else {
        ("user_id =", "channel_id =")
    };
    // Of all that ever ended so, few changed lately: those are found by that.
    let of_status = match filter.changed_since {
        Some(_) => "status || '' =",
        None => "status =",
    };
    let conditions = [
        (of_status, by_row.map(Value::from)),
        ("status >=", at_work.map(|_| Value::from(RunStatus::Pending))),
        ("status <=", at_work.map(Value::from)),
        (concat!(seen!(), " ="), filter.status.map(Value::from)),
        ("wake_reason =", filter.wake_reason.clone().map(Value::from)),
        (of_user, filter.user.map(Value::from)),
        (of_channel, filter.channel.map(Value::from)),
        ("updated_at >=", filter.changed_since.map(Value::from)),
        ("id <", filter.before.map(Value::from)),
    ];
    let (sql, args) = page::ask(&select(), args![now], conditions, limit);
    conn.fetch_all(sql, args).await
}

/// A run that changed, without its words.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ChangedRun {
    /// The run.
    pub id: RunId,
    /// Where it stands.
    pub status: RunStatus,
    /// Why it waits.
    pub wake_reason: Option<WakeReason>,
    /// Until when it waits.
    pub wake_at: Option<Timestamp>,
    /// The channel that it speaks in.
    pub channel_id: Option<ChannelId>,
    /// Its person.
    pub user_id: Option<UserId>,
    /// Its conversation.
    pub context_id: Option<ContextId>,
    /// The run that it works for.
    pub parent_run_id: Option<RunId>,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The runs that changed at a moment or later, those first that did so first.
pub async fn changed_since(
    conn: &mut Conn,
    since: Timestamp,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<ChangedRun>, StoreError> {
    let sql = concat!(
        "SELECT id, ",
        seen!(),
        " AS status, wake_reason, wake_at, channel_id, user_id, context_id, parent_run_id, updated_at
         FROM runs WHERE updated_at >= $2 ORDER BY updated_at, id LIMIT $3"
    );
    conn.fetch_all(sql, args![now, since, limit]).await
}

/// How far a run has come, for those who look for changes.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Version {
    /// The run.
    pub id: RunId,
    /// Where it stands.
    pub status: RunStatus,
    /// Its last step.
    pub last_step: Option<i64>,
}

/// How many runs are looked at by one statement.
const AT_ONCE: usize = 500;

/// How far these runs have come; one that is gone is not among them.
pub async fn versions(conn: &mut Conn, runs: &[RunId], now: Timestamp) -> Result<Vec<Version>, StoreError> {
    let mut found = Vec::with_capacity(runs.len());
    for runs in runs.chunks(AT_ONCE) {
        let places: Vec<_> = (2..runs.len() + 2).map(|place| format!("${place}")).collect();
        let sql = format!(
            "SELECT id, {} AS status, (SELECT MAX(seq) FROM run_steps s WHERE s.run_id = runs.id) AS last_step
             FROM runs WHERE id IN ({})",
            seen!(),
            places.join(", ")
        );
        let mut args = args![now];
        args.extend(runs.iter().map(|run| Value::from(*run)));
        found.extend(conn.fetch_all::<Version>(sql, args).await?);
    }
    Ok(found)
}

/// How many runs stand where, of those that have not ended.
pub async fn counts(conn: &mut Conn, now: Timestamp) -> Result<Vec<(RunStatus, i64)>, StoreError> {
    let sql = concat!(
        "SELECT seen, COUNT(*) FROM (SELECT ",
        seen!(),
        " AS seen FROM runs WHERE status IN ('pending', 'running', 'waiting')) AS unended GROUP BY seen"
    );
    conn.fetch_all(sql, args![now]).await
}
