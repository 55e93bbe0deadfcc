//! Triggers: rows that wake a run that sleeps by cron, start a run, or send a reminder, and the secrets of webhooks.
//! How they come due is in `trigger_due`.

pub mod due;

pub use clifford_core::schedule::trigger::Due;
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, TriggerId, UserId},
    schedule::trigger::{Trigger, TriggerKind},
    value::args,
};

use super::{Conn, StoreError, Tx};
pub use crate::triggers::due::{
    Firing, bring_forward, claim, due, fired_now, firings, forget_ended, forget_signatures, has_fired, hold,
    hold_person, next_due, of_run, planned_ahead, put_wake, quarantine, release, remove_wake, reschedule_wake,
    set_error, take_signature, waits, wake_fired,
};

pub(super) const COLUMNS: &str = "id, kind, name, run_id, agent_id, channel_id, user_id, context_id, content, webhook, \
                                  cron, time_zone, catch_up, enabled, next_at, created_by, created_at, updated_at, \
                                  last_fired_at, last_error, waiting_at, deaths, quarantined_at";

/// Stores a trigger that does not wake a sleeping run; `key`: that of the call that makes it, which makes one only.
/// Returns the stored trigger: the earlier one, if the call is repeated. Notifies other processes.
///
/// # Errors
/// [`StoreError::Conflict`]: there is one of that name, or what it refers to is not there.
pub async fn insert(tx: &mut Tx, trigger: &Trigger, key: Option<&str>) -> Result<Trigger, StoreError> {
    let sql = format!(
        "INSERT INTO triggers ({COLUMNS}, idempotency_key)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, 0, NULL,
                 $22)
         ON CONFLICT (idempotency_key) DO UPDATE SET idempotency_key = excluded.idempotency_key RETURNING {COLUMNS}"
    );
    let stored = tx
        .fetch_one(
            sql,
            args![
                trigger.id,
                trigger.kind,
                trigger.name.clone(),
                trigger.run_id,
                trigger.agent_id,
                trigger.channel_id,
                trigger.user_id,
                trigger.context_id,
                &trigger.content,
                trigger.webhook,
                trigger.cron.clone(),
                &trigger.time_zone,
                trigger.catch_up,
                trigger.enabled,
                trigger.next_at,
                trigger.created_by.clone(),
                trigger.created_at,
                trigger.updated_at,
                trigger.last_fired_at,
                trigger.last_error.clone(),
                trigger.waiting_at,
                key
            ],
        )
        .await?;
    crate::db::notify::work(tx).await?;
    Ok(stored)
}

/// Stores changes to a trigger: its name, its text, its due time and whether it fires. Notifies other processes.
/// `false`: it is gone, or wakes a sleeping run.
///
/// # Errors
/// [`StoreError::Conflict`]: there is another of that name.
pub async fn update(tx: &mut Tx, trigger: &Trigger, now: Timestamp) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "UPDATE triggers SET name = $1, content = $2, cron = $3, time_zone = $4, catch_up = $5, enabled = $6,
                 next_at = $7, updated_at = $8, last_error = NULL
             WHERE id = $9 AND kind <> 'wake'",
            args![
                trigger.name.clone(),
                &trigger.content,
                trigger.cron.clone(),
                &trigger.time_zone,
                trigger.catch_up,
                trigger.enabled,
                trigger.next_at,
                now,
                trigger.id
            ],
        )
        .await?;
    crate::db::notify::work(tx).await?;
    Ok(changed > 0)
}

/// One trigger.
pub async fn get(conn: &mut Conn, id: TriggerId) -> Result<Option<Trigger>, StoreError> {
    conn.fetch_optional(format!("SELECT {COLUMNS} FROM triggers WHERE id = $1"), args![id])
        .await
}

/// The trigger of a name.
pub async fn by_name(conn: &mut Conn, name: &str) -> Result<Option<Trigger>, StoreError> {
    conn.fetch_optional(format!("SELECT {COLUMNS} FROM triggers WHERE name = $1"), args![name])
        .await
}

/// The triggers that a page shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// Only those that do this.
    pub kind: Option<TriggerKind>,
    /// Only of this person.
    pub user: Option<UserId>,
    /// Only older than this one.
    pub before: Option<TriggerId>,
}

/// A page of triggers, newest first.
pub async fn page(conn: &mut Conn, filter: Filter, limit: u32) -> Result<Vec<Trigger>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM triggers WHERE ($1 IS NULL OR kind = $1) AND ($2 IS NULL OR user_id = $2)
         AND ($3 IS NULL OR id < $3) ORDER BY id DESC LIMIT $4"
    );
    conn.fetch_all(sql, args![filter.kind, filter.user, filter.before, limit])
        .await
}

/// The triggers that fire next, the next one first: everybody's, with those that wake sleeping runs, or a person's. Each
/// kind is found by what is due soonest, however many there are.
pub async fn upcoming(conn: &mut Conn, user: Option<UserId>, limit: u32) -> Result<Vec<Trigger>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM triggers WHERE kind <> 'wake' AND next_at IS NOT NULL AND enabled
         AND ($1 IS NULL OR user_id = $1) ORDER BY next_at, id LIMIT $2"
    );
    let mut coming: Vec<Trigger> = conn.fetch_all(sql, args![user, limit]).await?;
    if user.is_none() {
        let sql = format!(
            "SELECT {COLUMNS} FROM triggers WHERE enabled AND next_at IS NOT NULL AND run_id IN (
                 SELECT id FROM runs WHERE status = 'waiting' AND wake_reason = 'sleep' AND wake_at IS NOT NULL
                 ORDER BY wake_at LIMIT $1)"
        );
        coming.extend(conn.fetch_all::<Trigger>(sql, args![limit]).await?);
        coming.sort_by_key(|trigger| (trigger.next_at, trigger.id));
        coming.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(coming)
}

/// A person's reminders that are still to come, the next one first; with a channel only those that were set there.
pub async fn reminders(conn: &mut Conn, user: UserId, channel: Option<ChannelId>) -> Result<Vec<Trigger>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM triggers WHERE user_id = $1 AND kind = 'reminder' AND next_at IS NOT NULL
         AND ($2 IS NULL OR channel_id = $2) ORDER BY next_at, id"
    );
    conn.fetch_all(sql, args![user, channel]).await
}

/// How many triggers of a person are yet to begin runs.
pub async fn runs_due(conn: &mut Conn, user: UserId) -> Result<usize, StoreError> {
    let sql = "SELECT COUNT(*) FROM triggers WHERE user_id = $1 AND kind = 'run' AND next_at IS NOT NULL";
    let (count,): (i64,) = conn.fetch_one(sql, args![user]).await?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Deletes a trigger that does not wake a sleeping run. `false`: there is no such trigger.
pub async fn delete(tx: &mut Tx, id: TriggerId) -> Result<bool, StoreError> {
    let deleted = tx
        .execute("DELETE FROM triggers WHERE id = $1 AND kind <> 'wake'", args![id])
        .await?;
    Ok(deleted > 0)
}

/// Keeps the secret by which a webhook's requests are signed, encrypted: verifying needs the secret itself, not its hash.
pub async fn put_secret(tx: &mut Tx, id: TriggerId, secret: &str) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO trigger_secrets (trigger_id, secret) VALUES ($1, $2)
         ON CONFLICT (trigger_id) DO UPDATE SET secret = excluded.secret",
        args![id, secret],
    )
    .await?;
    Ok(())
}

/// The secret by which a webhook's requests are signed, as it is encrypted.
pub async fn secret(conn: &mut Conn, id: TriggerId) -> Result<Option<String>, StoreError> {
    let row: Option<(String,)> = conn
        .fetch_optional("SELECT secret FROM trigger_secrets WHERE trigger_id = $1", args![id])
        .await?;
    Ok(row.map(|row| row.0))
}
