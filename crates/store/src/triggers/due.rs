//! Triggers as they come due: each due time is claimed by one process, in the transaction of its effects.

use clifford_core::{
    clock::Timestamp,
    id::{RunId, TriggerId, WorkerId},
    row::FromRow,
    schedule::trigger::{CatchUp, Due, Trigger},
    value::args,
};

use crate::{
    Conn, StoreError, Tx,
    leases::{
        ClaimWindow,
        sql::{fenced, free, freed, take},
    },
    triggers::COLUMNS,
};

/// The triggers that are due, but for those of sleeping runs, the longest due first; a page of them, behind the last one of
/// the page before.
pub async fn due(conn: &mut Conn, now: Timestamp, after: Option<Due>, limit: u32) -> Result<Vec<Trigger>, StoreError> {
    let (at, id) = after.map(|last| (last.at, last.id)).unzip();
    let sql = format!(
        "SELECT {COLUMNS} FROM triggers WHERE kind <> 'wake' AND quarantined_at IS NULL AND next_at IS NOT NULL AND next_at <= $1
         AND ($2 IS NULL OR next_at > $2 OR (next_at = $2 AND id > $3)) ORDER BY next_at, id LIMIT $4"
    );
    conn.fetch_all(sql, args![now, at, id, limit]).await
}

/// When the next trigger comes due after a moment, but for those of sleeping runs.
pub async fn next_due(conn: &mut Conn, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
    let row: (Option<i64>,) = conn
        .fetch_one(
            "SELECT MIN(next_at) FROM triggers WHERE kind <> 'wake' AND quarantined_at IS NULL AND next_at IS NOT NULL
             AND next_at > $1",
            args![after],
        )
        .await?;
    Ok(row.0.map(Timestamp))
}

/// Takes due triggers for this process for a while; one that is another process's is left out. Returns each that it has,
/// with how often a process died that had it.
pub async fn hold(tx: &mut Tx, due: &[Due], window: ClaimWindow) -> Result<Vec<(TriggerId, i64)>, StoreError> {
    let mut held = Vec::new();
    for due in due {
        let row: Option<(i64,)> = tx
            .fetch_optional(
                concat!(
                    take!(triggers),
                    " WHERE id = $3 AND next_at = $4 AND quarantined_at IS NULL AND ",
                    free!(triggers, 5),
                    " RETURNING deaths"
                ),
                args![window.worker, window.until, due.id, due.at, window.over],
            )
            .await?;
        held.extend(row.map(|(deaths,)| (due.id, deaths)));
    }
    Ok(held)
}

/// Gives triggers back that were not fired.
pub async fn release(tx: &mut Tx, ids: &[TriggerId], worker: WorkerId) -> Result<(), StoreError> {
    for id in ids {
        let sql = concat!("UPDATE triggers SET ", freed!(), " WHERE ", fenced!(triggers, 1, 2));
        tx.defer(sql, args![*id, worker]).await?;
    }
    Ok(())
}

/// Sets a trigger aside: it is not due any more. `false`: it is already, or was changed meanwhile.
pub async fn quarantine(tx: &mut Tx, due: Due, error: &str, now: Timestamp) -> Result<bool, StoreError> {
    let set_aside = tx
        .execute(
            concat!(
                "UPDATE triggers SET quarantined_at = $1, last_error = $2, updated_at = $1, ",
                freed!(),
                " WHERE id = $3 AND next_at = $4 AND quarantined_at IS NULL"
            ),
            args![now, error, due.id, due.at],
        )
        .await?;
    Ok(set_aside > 0)
}

/// Notes that somebody was up at a due time, which waits for its conversation.
pub async fn waits(tx: &mut Tx, due: Due) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE triggers SET waiting_at = $1 WHERE id = $2 AND next_at = $1",
        args![due.at, due.id],
    )
    .await
}

/// Takes a due time for this process alone, and moves the trigger on to its next one. `false`: somebody else has it, or
/// the trigger was changed meanwhile. With `fires` it counts as a firing.
pub async fn claim(
    tx: &mut Tx,
    due: Due,
    next: Option<Timestamp>,
    fires: bool,
    error: Option<&str>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let claimed = tx
        .execute(
            concat!(
                "UPDATE triggers SET next_at = $1, last_error = $2, updated_at = $3, deaths = 0,
                     last_fired_at = CASE WHEN $4 THEN $3 ELSE last_fired_at END, ",
                freed!(),
                " WHERE id = $5 AND next_at = $6 AND enabled"
            ),
            args![next, error, now, fires, due.id, due.at],
        )
        .await?;
    if claimed == 0 || !fires {
        return Ok(claimed == 1);
    }
    record(tx, due, now).await
}

/// Records that a trigger fired for a due time. `false`: it is recorded already.
async fn record(tx: &mut Tx, due: Due, now: Timestamp) -> Result<bool, StoreError> {
    // Old firings tell nothing any more.
    const KEPT: std::time::Duration = std::time::Duration::from_secs(30 * 86_400);
    tx.execute(
        "DELETE FROM trigger_firings WHERE trigger_id = $1 AND fired_at < $2",
        args![due.id, now.before(KEPT)],
    )
    .await?;
    let fired = tx
        .execute(
            "INSERT INTO trigger_firings (trigger_id, due_at, fired_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            args![due.id, due.at, now],
        )
        .await?;
    Ok(fired == 1)
}

/// The recurring triggers that were last planned after a moment, and are due after it; a page of them, behind the last one
/// of the page before.
pub async fn planned_ahead(
    conn: &mut Conn,
    beyond: Timestamp,
    after: Option<TriggerId>,
    limit: u32,
) -> Result<Vec<Trigger>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM triggers WHERE cron IS NOT NULL AND quarantined_at IS NULL
         AND next_at > $1 AND updated_at > $1 AND ($2 IS NULL OR id > $2) ORDER BY id LIMIT $3"
    );
    conn.fetch_all(sql, args![beyond, after, limit]).await
}

/// Moves a trigger to an earlier due time, with the run that sleeps by it. `false`: it was changed meanwhile.
pub async fn bring_forward(tx: &mut Tx, due: Due, next: Timestamp, now: Timestamp) -> Result<bool, StoreError> {
    let moved = tx
        .execute(
            "UPDATE triggers SET next_at = $1, updated_at = $2 WHERE id = $3 AND next_at = $4 AND enabled",
            args![next, now, due.id, due.at],
        )
        .await?;
    if moved > 0 {
        tx.execute(
            "UPDATE runs SET wake_at = $1, updated_at = $2 WHERE status = 'waiting' AND wake_reason = 'sleep'
             AND id = (SELECT run_id FROM triggers WHERE id = $3)",
            args![next, now, due.id],
        )
        .await?;
    }
    Ok(moved > 0)
}

/// Locks the person of a trigger until the transaction ends, as linking accounts does before it touches what is theirs.
pub async fn hold_person(tx: &mut Tx, id: TriggerId) -> Result<(), StoreError> {
    // On SQLite every transaction is the only one that writes.
    if tx.is_postgres() {
        let sql = "SELECT id FROM users WHERE id = (SELECT user_id FROM triggers WHERE id = $1) FOR KEY SHARE";
        tx.execute(sql, args![id]).await?;
    }
    Ok(())
}

/// Keeps why a firing came to nothing.
pub async fn set_error(tx: &mut Tx, id: TriggerId, error: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE triggers SET last_error = $1 WHERE id = $2", args![error, id])
        .await?;
    Ok(())
}

/// Whether a due time has fired.
pub async fn has_fired(conn: &mut Conn, due: Due) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT due_at FROM trigger_firings WHERE trigger_id = $1 AND due_at = $2",
        args![due.id, due.at],
    )
    .await
}

/// Records that a trigger was fired by hand or by its webhook, outside its schedule.
///
/// # Errors
/// [`StoreError::NotFound`]: it is gone.
pub async fn fired_now(tx: &mut Tx, id: TriggerId, now: Timestamp) -> Result<(), StoreError> {
    let there = tx
        .execute(
            "UPDATE triggers SET last_fired_at = $1, last_error = NULL, updated_at = $1 WHERE id = $2",
            args![now, id],
        )
        .await?;
    if there == 0 {
        return Err(StoreError::NotFound(format!("trigger {id}")));
    }
    record(tx, Due { id, at: now }, now).await?;
    Ok(())
}

/// A firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Firing {
    /// When it was to fire.
    #[schema(value_type = String)]
    pub due_at: Timestamp,
    /// When it did.
    #[schema(value_type = String)]
    pub fired_at: Timestamp,
}

/// The newest firings of a trigger, newest first.
pub async fn firings(conn: &mut Conn, id: TriggerId, limit: u32) -> Result<Vec<Firing>, StoreError> {
    conn.fetch_all(
        "SELECT due_at, fired_at FROM trigger_firings WHERE trigger_id = $1 ORDER BY due_at DESC LIMIT $2",
        args![id, limit],
    )
    .await
}

/// Deletes reminders that ended before a time. Returns how many there were.
pub async fn forget_ended(tx: &mut Tx, before: Timestamp) -> Result<u64, StoreError> {
    tx.execute(
        "DELETE FROM triggers WHERE kind = 'reminder' AND enabled AND next_at IS NULL AND updated_at < $1",
        args![before],
    )
    .await
}

/// Sets what wakes a run that sleeps by cron.
pub async fn put_wake(
    tx: &mut Tx,
    run: RunId,
    cron: &str,
    time_zone: &str,
    catch_up: CatchUp,
    next_at: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO triggers (id, kind, run_id, content, webhook, cron, time_zone, catch_up, enabled, next_at,
                               created_at, updated_at)
         VALUES ($1, 'wake', $2, '', $3, $4, $5, $6, $7, $8, $9, $9)
         ON CONFLICT (run_id) DO UPDATE SET cron = excluded.cron, time_zone = excluded.time_zone,
             catch_up = excluded.catch_up, next_at = excluded.next_at, updated_at = excluded.updated_at",
        args![
            TriggerId::new(),
            run,
            false,
            cron,
            time_zone,
            catch_up,
            true,
            next_at,
            now
        ],
    )
    .await?;
    Ok(())
}

/// The trigger that wakes a run which sleeps by cron.
pub async fn of_run(conn: &mut Conn, run: RunId) -> Result<Option<Trigger>, StoreError> {
    conn.fetch_optional(format!("SELECT {COLUMNS} FROM triggers WHERE run_id = $1"), args![run])
        .await
}

/// Records that a run was woken for a due time.
pub async fn wake_fired(tx: &mut Tx, due: Due, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE triggers SET last_fired_at = $1 WHERE id = $2",
        args![now, due.id],
    )
    .await?;
    record(tx, due, now).await?;
    Ok(())
}

/// Lets a run that sleeps by cron sleep until another due time.
pub async fn reschedule_wake(tx: &mut Tx, run: RunId, until: Timestamp, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE runs SET wake_at = $1, updated_at = $2 WHERE id = $3 AND status = 'waiting'",
        args![until, now, run],
    )
    .await?;
    tx.execute(
        "UPDATE triggers SET next_at = $1, updated_at = $2 WHERE run_id = $3",
        args![until, now, run],
    )
    .await?;
    Ok(())
}

/// Removes what wakes a run: it ended.
pub async fn remove_wake(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM triggers WHERE run_id = $1", args![run]).await?;
    Ok(())
}

/// Forgets the signatures of requests that were signed before a moment: they are refused for their age alone.
pub async fn forget_signatures(tx: &mut Tx, before: Timestamp) -> Result<(), StoreError> {
    tx.defer("DELETE FROM webhook_calls WHERE signed_at < $1", args![before])
        .await
}

/// Takes the signature of a webhook's request, so that it is valid once. `false`: it was taken before. Signatures from
/// before `stale` are refused anyway, and deleted.
pub async fn take_signature(
    tx: &mut Tx,
    id: TriggerId,
    signature: &str,
    signed_at: Timestamp,
    stale: Timestamp,
) -> Result<bool, StoreError> {
    tx.execute(
        "DELETE FROM webhook_calls WHERE trigger_id = $1 AND signed_at < $2",
        args![id, stale],
    )
    .await?;
    let taken = tx
        .execute(
            "INSERT INTO webhook_calls (trigger_id, signature, signed_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            args![id, signature, signed_at],
        )
        .await?;
    Ok(taken == 1)
}
