//! Erases all rows of one person: finds them, passes them on to search others' rows for quotes, deletes them.

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, JobId, RunId, UserId},
    json_text::JsonText,
    people::UserRole,
    row::FromRow,
    value::args,
};
use serde_json::Value;

use crate::{
    Conn, StoreError, Tx,
    leases::sql::freed,
    removal::{self, Counts, count, each, ids},
    runs::RunClaim,
};

/// Channels of a person. `$1`: the person.
const CHANNELS: &str = "SELECT id FROM channels WHERE user_id = $1";
/// Their private conversations.
const CONTEXTS: &str = "SELECT id FROM contexts WHERE user_id = $1
     OR channel_id IN (SELECT id FROM channels WHERE user_id = $1)";
/// Their runs, with everything that these created.
const RUNS: &str = "SELECT id FROM runs WHERE root_run_id IN (
         SELECT root_run_id FROM runs WHERE user_id = $1
             OR channel_id IN (SELECT id FROM channels WHERE user_id = $1)
             OR context_id IN (SELECT id FROM contexts WHERE user_id = $1))";
/// The person's messages, the answers to them, and all of their private channels.
const MESSAGES: &str = "SELECT id FROM messages WHERE user_id = $1
     OR channel_id IN (SELECT id FROM channels WHERE user_id = $1)
     OR context_id IN (SELECT id FROM contexts WHERE user_id = $1)";

/// The person to erase.
#[derive(Clone, Debug)]
pub struct Person {
    /// Their id.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// The person's rights.
    pub role: UserRole,
    /// Their accounts.
    pub accounts: Vec<Account>,
    /// Since when they are known: nothing from before tells of them.
    pub since: Timestamp,
}

/// An account of theirs.
#[derive(Clone, Debug, FromRow)]
pub struct Account {
    /// The platform.
    pub platform: String,
    /// The platform's id of it.
    pub platform_user_id: String,
    /// Its name there.
    pub name: String,
    /// Its handle there.
    pub handle: Option<String>,
    /// Since when it is known.
    pub created_at: Timestamp,
}

/// The person of an id. `None`: there is no such person (any more).
pub async fn person(conn: &mut Conn, id: UserId) -> Result<Option<Person>, StoreError> {
    #[derive(FromRow)]
    struct Row {
        name: String,
        role: UserRole,
        created_at: Timestamp,
    }
    let row: Option<Row> = conn
        .fetch_optional("SELECT name, role, created_at FROM users WHERE id = $1", args![id])
        .await?;
    let Some(row) = row else { return Ok(None) };
    let accounts: Vec<Account> = conn
        .fetch_all(
            "SELECT platform, platform_user_id, name, handle, created_at FROM identities WHERE user_id = $1",
            args![id],
        )
        .await?;
    let first = accounts.iter().map(|account| account.created_at).min();
    Ok(Some(Person {
        id,
        since: first.map_or(row.created_at, |first| first.min(row.created_at)),
        name: row.name,
        role: row.role,
        accounts,
    }))
}

/// Where a person may be quoted: the shared places where they spoke, and the private channels of those who spoke there
/// as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circle {
    /// Their own channels, which are no part of it.
    pub own: Vec<ChannelId>,
    /// Every channel of it.
    pub channels: Vec<ChannelId>,
    /// The shared ones among them.
    pub shared: Vec<ChannelId>,
    /// The spaces of the shared ones.
    pub spaces: Vec<String>,
}

/// A person's circle.
pub async fn circle(conn: &mut Conn, person: UserId) -> Result<Circle, StoreError> {
    #[derive(FromRow)]
    struct Row {
        id: ChannelId,
        is_shared: bool,
        space_id: Option<String>,
    }
    let rows: Vec<Row> = conn
        .fetch_all(
            "WITH own AS (
                 SELECT id, space_id FROM channels WHERE kind <> 'private'
                 AND (id IN (SELECT channel_id FROM messages WHERE user_id = $1 AND direction = 'inbound')
                      OR id IN (SELECT channel_id FROM runs WHERE user_id = $1)
                      OR space_id IN (SELECT origin_space FROM memory_items WHERE user_id = $1))),
             shared AS (
                 SELECT id FROM channels WHERE kind <> 'private'
                 AND (id IN (SELECT id FROM own)
                      OR space_id IN (SELECT space_id FROM own WHERE space_id IS NOT NULL)))
             SELECT id, kind <> 'private' AS is_shared, space_id FROM channels
             WHERE id IN (SELECT id FROM shared)
             OR (kind = 'private' AND user_id <> $1 AND user_id IN (
                 SELECT user_id FROM messages WHERE direction = 'inbound' AND channel_id IN (SELECT id FROM shared)))
             ORDER BY id",
            args![person],
        )
        .await?;
    let own: Vec<(ChannelId,)> = conn.fetch_all(format!("{CHANNELS} ORDER BY id"), args![person]).await?;
    let mut circle = Circle {
        own: own.into_iter().map(|row| row.0).collect(),
        ..Circle::default()
    };
    for row in rows {
        circle.channels.push(row.id);
        if row.is_shared {
            circle.shared.push(row.id);
            circle.spaces.extend(row.space_id);
        }
    }
    circle.spaces.sort_unstable();
    circle.spaces.dedup();
    Ok(circle)
}

/// A text of a person's.
#[derive(Clone, Debug, FromRow)]
pub struct PersonText {
    /// The row's id.
    pub id: String,
    /// The text; in a shared place each line may be another's, behind their name.
    pub text: String,
    /// It was said where others read along.
    pub is_shared: bool,
}

/// A page of what a person said, oldest first.
pub async fn said(conn: &mut Conn, person: UserId, after: &str, limit: u32) -> Result<Vec<PersonText>, StoreError> {
    conn.fetch_all(
        "SELECT m.id, m.content || COALESCE(' ' || m.attachments, '') AS text, c.kind <> 'private' AS is_shared
         FROM messages m JOIN channels c ON c.id = m.channel_id
         WHERE m.user_id = $1 AND m.direction = 'inbound' AND m.id > $2 ORDER BY m.id LIMIT $3",
        args![person, after, limit],
    )
    .await
}

/// A page of what runs were asked in a person's name, oldest first: messages that were deleted may stand there.
pub async fn asked(conn: &mut Conn, person: UserId, after: &str, limit: u32) -> Result<Vec<PersonText>, StoreError> {
    conn.fetch_all(
        "SELECT r.id, r.input_text AS text, c.kind <> 'private' AS is_shared
         FROM runs r JOIN channels c ON c.id = r.channel_id
         WHERE r.user_id = $1 AND r.kind = 'coordinator' AND r.id > $2 ORDER BY r.id LIMIT $3",
        args![person, after, limit],
    )
    .await
}

/// The values of all that is remembered of a person.
pub async fn values(conn: &mut Conn, person: UserId) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = conn
        .fetch_all("SELECT value FROM memory_items WHERE user_id = $1", args![person])
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The keys of what is remembered of a person and of nobody else by them.
pub async fn keys(conn: &mut Conn, person: UserId) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = conn
        .fetch_all(
            "SELECT DISTINCT key FROM memory_items WHERE user_id = $1
             AND key NOT IN (SELECT key FROM memory_items WHERE user_id <> $1) ORDER BY key",
            args![person],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Takes what became of a person's items from the results of the jobs of these channels' conversations.
pub async fn forget_results(tx: &mut Tx, person: UserId, channels: &[ChannelId]) -> Result<u64, StoreError> {
    let mut changed = 0;
    for channel in channels {
        let results: Vec<(JobId, JsonText<Value>)> = tx
            .fetch_all(
                "SELECT id, result FROM jobs WHERE context_id IN (SELECT id FROM contexts WHERE channel_id = $1)
                 AND result LIKE '%' || $2 || '%'",
                args![*channel, person],
            )
            .await?;
        for (job, JsonText(mut result)) in results {
            let people = result.get_mut("people").and_then(Value::as_object_mut);
            if people.and_then(|people| people.remove(&person.to_string())).is_some() {
                tx.execute(
                    "UPDATE jobs SET result = $1 WHERE id = $2",
                    args![result.to_string(), job],
                )
                .await?;
                changed += 1;
            }
        }
    }
    Ok(changed)
}

/// A run of somebody else's that also holds a message of the person's.
#[derive(Clone, Debug, FromRow)]
pub struct Joint {
    /// The run.
    pub id: RunId,
    /// Its input.
    pub input: String,
    /// The person's part of it.
    pub content: String,
}

/// The runs of others that hold messages of a person's.
pub async fn joint_runs(conn: &mut Conn, person: UserId) -> Result<Vec<Joint>, StoreError> {
    conn.fetch_all(
        "SELECT r.id, r.input_text AS input, m.content FROM messages m JOIN runs r ON r.id = m.run_id
         WHERE m.user_id = $1 AND m.direction = 'inbound' AND (r.user_id IS NULL OR r.user_id <> $1)
         ORDER BY r.id, m.id",
        args![person],
    )
    .await
}

/// The input of a run.
pub async fn input(conn: &mut Conn, run: RunId) -> Result<String, StoreError> {
    let row: (String,) = conn
        .fetch_one("SELECT input_text FROM runs WHERE id = $1", args![run])
        .await?;
    Ok(row.0)
}

/// Sets what a run was asked.
pub async fn set_input(tx: &mut Tx, run: RunId, input: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE runs SET input_text = $1 WHERE id = $2", args![input, run])
        .await?;
    Ok(())
}

/// The coordinator runs of a person that have not ended.
pub async fn unended(conn: &mut Conn, person: UserId) -> Result<Vec<RunId>, StoreError> {
    let rows: Vec<(RunId,)> = conn
        .fetch_all(
            "SELECT id FROM runs WHERE user_id = $1 AND kind = 'coordinator'
             AND status IN ('pending', 'running', 'waiting') ORDER BY id",
            args![person],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Requeues others' messages of a run for the next one in its conversation; the erased person's messages wait for none.
pub async fn release(tx: &mut Tx, run: RunId, person: UserId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE messages SET status = 'queued', run_id = NULL, metadata = NULL,
             address = (SELECT address FROM runs WHERE id = $1)
         WHERE run_id = $1 AND direction = 'inbound' AND user_id <> $2",
        args![run, person],
    )
    .await?;
    tx.execute(
        "UPDATE messages SET status = 'history' WHERE user_id = $1 AND status = 'queued'",
        args![person],
    )
    .await?;
    Ok(())
}

/// Whether something is still on its way to a person's private channels.
pub async fn awaits_delivery(conn: &mut Conn, person: UserId) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM messages WHERE direction = 'outbound' AND status IN ('pending', 'sending')
         AND channel_id IN (SELECT id FROM channels WHERE user_id = $1) LIMIT 1",
        args![person],
    )
    .await
}

/// Whether a person is being erased.
pub async fn is_under_way(conn: &mut Conn, person: UserId) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM jobs WHERE user_id = $1 AND kind = 'erase' AND status = 'pending' LIMIT 1",
        args![person],
    )
    .await
}

/// Where the files of a person's are.
pub async fn files(conn: &mut Conn, person: UserId) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = conn
        .fetch_all(
            format!("SELECT location FROM files WHERE user_id = $1 OR message_id IN ({MESSAGES})"),
            args![person],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Takes the runs at work in these channels from their workers, so that they begin again with the rows as they are now:
/// prompts in memory hold the old ones. Returns the runs, each with the claim that held it.
pub async fn take_work(tx: &mut Tx, channels: &[ChannelId]) -> Result<Vec<RunClaim>, StoreError> {
    let mut taken = Vec::new();
    for channel in channels {
        let runs: Vec<RunClaim> = tx
            .fetch_all(
                concat!(
                    "UPDATE runs SET status = 'pending', epoch = epoch + 1, ",
                    freed!(),
                    " WHERE channel_id = $1 AND lease_owner IS NOT NULL AND status IN ('pending', 'running')
                     RETURNING id, epoch - 1 AS epoch"
                ),
                args![*channel],
            )
            .await?;
        taken.extend(runs);
        tx.execute(
            concat!(
                "UPDATE jobs SET epoch = epoch + 1, ",
                freed!(),
                " WHERE status = 'pending' AND lease_owner IS NOT NULL
                 AND context_id IN (SELECT id FROM contexts WHERE channel_id = $1)"
            ),
            args![*channel],
        )
        .await?;
    }
    Ok(taken)
}

/// Deletes every row of a person's, but for the job that does it, which names nobody from then on. Returns how many
/// there were, by table.
///
/// # Errors
/// [`StoreError::Conflict`]: something of theirs came in at this moment; nothing was deleted.
pub async fn delete(tx: &mut Tx, person: &Person, job: JobId) -> Result<Counts, StoreError> {
    let mut counts = Counts::new();
    let own = || args![person.id];
    let (channels, contexts) = (ids(tx, CHANNELS, own()).await?, ids(tx, CONTEXTS, own()).await?);
    let (runs, messages) = (ids(tx, RUNS, own()).await?, ids(tx, MESSAGES, own()).await?);
    removal::messages(tx, &messages, &mut counts).await?;
    removal::quotes(tx, own()).await?;
    each(
        tx,
        "DELETE FROM message_parts WHERE message_id IN (
             SELECT id FROM messages WHERE direction = 'outbound' AND run_id IN ({}))",
        &runs,
    )
    .await?;
    let answers = each(
        tx,
        "DELETE FROM messages WHERE direction = 'outbound' AND run_id IN ({})",
        &runs,
    )
    .await?;
    count(&mut counts, "messages", answers);
    removal::runs(tx, &runs, &mut counts).await?;
    tx.execute("UPDATE jobs SET user_id = NULL WHERE id = $1", args![job])
        .await?;
    for (table, column) in [
        ("files", "user_id"),
        ("documents", "user_id"),
        ("documents", "made_by"),
        ("usage", "user_id"),
        ("memory_items", "user_id"),
        ("jobs", "user_id"),
        ("link_codes", "user_id"),
        ("api_tokens", "user_id"),
        ("sessions", "user_id"),
        ("login_links", "user_id"),
        ("passkeys", "user_id"),
        ("user_secrets", "user_id"),
        ("run_feedback", "user_id"),
        ("triggers", "user_id"),
        ("settings", "scope"),
        ("setting_changes", "user_id"),
        ("setting_changes", "scope"),
        ("rate_buckets", "subject"),
        ("budget_spending", "subject"),
        ("budget_notices", "subject"),
        ("budget_notices", "recipient"),
    ] {
        let deleted = tx
            .execute(format!("DELETE FROM {table} WHERE {column} = $1"), own())
            .await?;
        count(&mut counts, table, deleted);
    }
    for sql in [
        "DELETE FROM budget_spending WHERE subject LIKE $1 || '@%'",
        "DELETE FROM budget_notices WHERE subject LIKE $1 || '@%'",
    ] {
        tx.execute(sql, own()).await?;
    }
    removal::contexts(tx, &contexts, &mut counts).await?;
    removal::channels(tx, &channels, &mut counts).await?;
    for account in &person.accounts {
        accounts(tx, account, &mut counts).await?;
    }
    let accounts = tx.execute("DELETE FROM identities WHERE user_id = $1", own()).await?;
    count(&mut counts, "identities", accounts);
    let users = tx.execute("DELETE FROM users WHERE id = $1", own()).await?;
    count(&mut counts, "users", users);
    Ok(counts)
}

/// Deletes what is kept by a platform's id of an account. An API caller's account is their token.
async fn accounts(tx: &mut Tx, account: &Account, counts: &mut Counts) -> Result<(), StoreError> {
    let by = || args![&account.platform, &account.platform_user_id];
    for table in ["pairings", "link_attempts"] {
        let sql = format!("DELETE FROM {table} WHERE platform = $1 AND platform_user_id = $2");
        let deleted = tx.execute(sql, by()).await?;
        count(counts, table, deleted);
    }
    if let Some(token) = account.platform_user_id.strip_prefix("api:") {
        let deleted = tx.execute("DELETE FROM api_tokens WHERE id = $1", args![token]).await?;
        count(counts, "api_tokens", deleted);
    }
    Ok(())
}
