//! Two people become one, or an account becomes a person of its own: every row that is somebody's goes along.

use clifford_core::{
    clock::Timestamp,
    id::UserId,
    people::{User, UserRole},
    policy::{Action, Rule},
    row::FromRow,
    value::args,
};

use super::{
    links::Account,
    users::{self, Identity},
};
use crate::{Conn, StoreError, Tx, places::policies};

/// The tables whose rows move to the surviving person of a merge, by their column `user_id`.
pub const GO_OVER: &[&str] = &[
    "identities",
    "channels",
    "contexts",
    "runs",
    "messages",
    "files",
    "documents",
    "usage",
    "jobs",
    "api_tokens",
    "sessions",
    "login_links",
    "passkeys",
    "triggers",
    "policies",
    "setting_changes",
];
/// The tables with a `user_id` and a rule of their own: of two items for one key, and of two keys for one provider, the
/// newer stays, and so it is with two verdicts on one answer; codes are void.
pub const BY_RULE: [&str; 4] = ["memory_items", "link_codes", "user_secrets", "run_feedback"];

/// Locks two people, and before them what others lock before them, until the transaction ends: nothing is written
/// for them meanwhile, and what others were about to write is there, or fails. Each is `None` if they are gone.
pub async fn lock(tx: &mut Tx, people: [UserId; 2]) -> Result<[Option<User>; 2], StoreError> {
    // On SQLite every transaction is the only one that writes.
    if tx.is_postgres() {
        for sql in [
            "SELECT id FROM jobs WHERE user_id IN ($1, $2) AND status = 'pending' ORDER BY id FOR UPDATE",
            "SELECT id FROM channels WHERE user_id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE",
            "SELECT id FROM contexts WHERE user_id IN ($1, $2) OR summary_of LIKE '%' || $1 || '%'
                 OR summary_of LIKE '%' || $2 || '%' ORDER BY id FOR NO KEY UPDATE",
            "SELECT id FROM users WHERE id IN ($1, $2) ORDER BY id FOR UPDATE",
        ] {
            tx.execute(sql, args![people[0], people[1]]).await?;
        }
    }
    Ok([users::get(tx, people[0]).await?, users::get(tx, people[1]).await?])
}

/// Whether one of two people is being deleted.
pub async fn is_being_erased(conn: &mut Conn, people: [UserId; 2]) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) FROM jobs WHERE user_id IN ($1, $2) AND kind = 'erase' AND status = 'pending' LIMIT 1",
        args![people[0], people[1]],
    )
    .await
}

/// Makes one person part of another, who is from now on as `into` says, and deletes what is left of the first. Of
/// each level of items stay as many as `caps` says, besides what is pinned.
pub async fn merge(tx: &mut Tx, from: UserId, into: &User, caps: &[i64], now: Timestamp) -> Result<(), StoreError> {
    tx.defer("DELETE FROM link_codes WHERE user_id = $1", args![from])
        .await?;
    items(tx, from, into.id, caps).await?;
    settings(tx, from, into.id).await?;
    byok(tx, from, into.id).await?;
    newer_stay(tx, "run_feedback", "user_id", ["run_id", "given_at"], [from, into.id]).await?;
    for table in GO_OVER {
        let sql = format!("UPDATE {table} SET user_id = $1 WHERE user_id = $2");
        tx.defer(sql, args![into.id, from]).await?;
    }
    for sql in [
        "UPDATE documents SET made_by = $1 WHERE made_by = $2",
        "UPDATE messages SET quoted_user_id = $1 WHERE quoted_user_id = $2",
    ] {
        tx.defer(sql, args![into.id, from]).await?;
    }
    budgets(tx, from, into.id).await?;
    rename_in_summaries(tx, from, into.id).await?;
    tx.defer(
        "UPDATE users SET name = $1, role = $2, language = $3, language_set = $4, time_zone = $5, updated_at = $6
         WHERE id = $7",
        args![
            &into.name,
            into.role,
            into.language.clone(),
            into.language_set,
            into.time_zone.clone(),
            now,
            into.id
        ],
    )
    .await?;
    tx.execute("DELETE FROM users WHERE id = $1", args![from]).await?;
    Ok(())
}

async fn items(tx: &mut Tx, from: UserId, into: UserId, caps: &[i64]) -> Result<(), StoreError> {
    #[derive(FromRow)]
    struct Level {
        level: i64,
        items: i64,
    }
    // Of two active items for one key the one that was seen more recently stays active: of all those that are left
    // active after the first statement, the second finds only newer ones.
    for (mine, theirs, newer) in [
        (from, into, " AND other.last_seen_at >= memory_items.last_seen_at"),
        (into, from, ""),
    ] {
        let sql = format!(
            "UPDATE memory_items SET archived = $1 WHERE user_id = $2 AND NOT archived AND EXISTS (
                 SELECT 1 FROM memory_items other WHERE other.user_id = $3 AND NOT other.archived
                 AND other.module = memory_items.module AND other.key = memory_items.key{newer})"
        );
        tx.defer(sql, args![true, mine, theirs]).await?;
    }
    tx.defer(
        "UPDATE memory_items SET user_id = $1 WHERE user_id = $2",
        args![into, from],
    )
    .await?;
    let levels: Vec<Level> = tx
        .fetch_all(
            "SELECT level, COUNT(*) AS items FROM memory_items WHERE user_id = $1 AND NOT archived GROUP BY level",
            args![into],
        )
        .await?;
    for Level { level, items } in levels {
        let cap = usize::try_from(level).ok().and_then(|level| caps.get(level));
        let over = cap.map_or(0, |cap| items - cap);
        if over > 0 {
            tx.defer(
                "UPDATE memory_items SET archived = $1 WHERE id IN (
                     SELECT id FROM memory_items WHERE user_id = $2 AND level = $3 AND NOT archived AND NOT pinned
                     ORDER BY last_seen_at, id LIMIT $4)",
                args![true, into, level, over],
            )
            .await?;
        }
    }
    Ok(())
}

/// Both persons' spending is summed up again from their usage; notices of spent budgets stay sent.
async fn budgets(tx: &mut Tx, from: UserId, into: UserId) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM budget_spending WHERE subject IN ($1, $2)",
        "DELETE FROM budget_notices WHERE subject IN ($1, $2) OR recipient = $1",
        "DELETE FROM budget_spending WHERE subject LIKE $1 || '@%' OR subject LIKE $2 || '@%'",
        "DELETE FROM budget_notices WHERE subject LIKE $1 || '@%' OR subject LIKE $2 || '@%'",
        "UPDATE setting_changes SET scope = $2 WHERE scope = $1",
    ] {
        tx.defer(sql, args![from, into]).await?;
    }
    tx.defer("DELETE FROM rate_buckets WHERE subject = $1", args![from])
        .await
}

async fn settings(tx: &mut Tx, from: UserId, into: UserId) -> Result<(), StoreError> {
    newer_stay(tx, "settings", "scope", ["name", "updated_at"], [from, into]).await?;
    // A request for erasure, or to part an account, was about one person, and does not carry over to the other.
    tx.defer(
        "DELETE FROM settings WHERE scope = $1 AND name IN ($2, $3)",
        args![
            into,
            crate::places::settings::ERASE_CODE,
            crate::places::settings::ACCOUNTS_CODE
        ],
    )
    .await
}

async fn byok(tx: &mut Tx, from: UserId, into: UserId) -> Result<(), StoreError> {
    newer_stay(tx, "user_secrets", "user_id", ["provider", "created_at"], [from, into]).await
}

/// Moves rows of which a person has one by each name: where both have one, the newer stays.
async fn newer_stay(
    tx: &mut Tx,
    table: &str,
    owner: &str,
    [name, changed_at]: [&str; 2],
    [from, into]: [UserId; 2],
) -> Result<(), StoreError> {
    let newer = format!(" AND other.{changed_at} >= {table}.{changed_at}");
    for (mine, theirs, newer) in [(from, into, newer.as_str()), (into, from, "")] {
        let sql = format!(
            "DELETE FROM {table} WHERE {owner} = $1 AND EXISTS (
                 SELECT 1 FROM {table} other WHERE other.{owner} = $2 AND other.{name} = {table}.{name}{newer})"
        );
        tx.defer(sql, args![mine, theirs]).await?;
    }
    let sql = format!("UPDATE {table} SET {owner} = $1 WHERE {owner} = $2");
    tx.defer(sql, args![into, from]).await
}

/// Summaries of conversations name those whose words they tell.
async fn rename_in_summaries(tx: &mut Tx, from: UserId, into: UserId) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE contexts SET summary_of = REPLACE(summary_of, $1, $2) WHERE summary_of LIKE '%' || $1 || '%'",
        args![from, into],
    )
    .await
}

/// Makes an account that is one of several a person of its own, with its private channels, the conversations that
/// began there, and what was learned in them. Everything else stays where it is.
pub async fn part(
    tx: &mut Tx,
    user: &User,
    identity: &Identity,
    account: &Account,
    role: UserRole,
    now: Timestamp,
) -> Result<User, StoreError> {
    let new = User {
        id: UserId::new(),
        name: identity.name.clone(),
        role,
        ..user.clone()
    };
    users::insert(tx, &new, now).await?;
    let platform = account.platform.as_str();
    for sql in [
        "UPDATE identities SET user_id = $1 WHERE user_id = $2 AND platform = $3 AND platform_user_id = $4",
        // Which account a channel is of was not always written down: it is this one's if there is no other.
        "UPDATE channels SET user_id = $1 WHERE user_id = $2 AND kind = 'private' AND platform = $3
         AND (account = $4 OR (account IS NULL AND NOT EXISTS (
             SELECT 1 FROM identities i WHERE i.user_id = $2 AND i.platform = $3)))",
        "DELETE FROM link_codes WHERE user_id IN ($1, $2) AND platform = $3 AND platform_user_id = $4",
        // The account of an API caller goes with its token.
        "UPDATE api_tokens SET user_id = $1 WHERE user_id = $2 AND $3 = 'web' AND $4 = 'api:' || id",
        "UPDATE sessions SET user_id = $1 WHERE user_id = $2 AND $3 = 'web' AND $4 = 'api:' || account",
    ] {
        tx.defer(sql, args![new.id, user.id, platform, &account.id]).await?;
    }
    end_ways_in(tx, user.id, account, now).await?;
    for sql in [
        "UPDATE contexts SET user_id = $1 WHERE user_id = $2
         AND channel_id IN (SELECT id FROM channels WHERE user_id = $1)",
        // Commands and their answers are in no conversation.
        "UPDATE messages SET user_id = $1 WHERE user_id = $2
         AND (context_id IN (SELECT id FROM contexts WHERE user_id = $1)
              OR (context_id IS NULL AND channel_id IN (SELECT id FROM channels WHERE user_id = $1)))",
        "UPDATE runs SET user_id = $1 WHERE user_id = $2
         AND (context_id IN (SELECT id FROM contexts WHERE user_id = $1)
              OR (context_id IS NULL AND channel_id IN (SELECT id FROM channels WHERE user_id = $1)))",
        "UPDATE run_feedback SET user_id = $1 WHERE user_id = $2
         AND run_id IN (SELECT id FROM runs WHERE user_id = $1)",
        "UPDATE usage SET user_id = $1 WHERE user_id = $2
         AND (run_id IN (SELECT id FROM runs WHERE user_id = $1)
              OR (run_id IS NULL AND channel_id IN (SELECT id FROM channels WHERE user_id = $1)))",
        "DELETE FROM budget_spending WHERE subject IN ($1, $2)",
        "UPDATE files SET user_id = $1 WHERE user_id = $2
         AND (EXISTS (SELECT 1 FROM messages m WHERE m.id = files.message_id AND m.user_id = $1)
              OR (message_id IS NULL AND channel_id IN (SELECT id FROM channels WHERE user_id = $1)))",
        "UPDATE documents SET user_id = $1, made_by = $1 WHERE user_id = $2
         AND channel_id IN (SELECT id FROM channels WHERE user_id = $1)",
        "UPDATE jobs SET user_id = $1 WHERE user_id = $2
         AND context_id IN (SELECT id FROM contexts WHERE user_id = $1)",
        "UPDATE memory_items SET user_id = $1 WHERE user_id = $2
         AND context_id IN (SELECT id FROM contexts WHERE user_id = $1)",
        "UPDATE triggers SET user_id = $1 WHERE user_id = $2
         AND channel_id IN (SELECT id FROM channels WHERE user_id = $1)",
        // Rules about a conversation go with it.
        "UPDATE policies SET user_id = $1 WHERE user_id = $2
         AND context_id IN (SELECT id FROM contexts WHERE user_id = $1)",
        "UPDATE contexts SET summary_of = REPLACE(summary_of, $2, $1) WHERE user_id = $1 AND summary_of IS NOT NULL",
        // Neither goes on with a conversation of the other's.
        "UPDATE channels SET active_context_id = NULL WHERE user_id IN ($1, $2) AND EXISTS (
             SELECT 1 FROM contexts x WHERE x.id = channels.active_context_id AND x.user_id <> channels.user_id)",
    ] {
        tx.defer(sql, args![new.id, user.id]).await?;
    }
    // Nobody is rid of what was forbidden them by parting an account; what was allowed them stays where it is.
    for policy in policies::about(tx, user.id).await? {
        if !matches!(policy.rule.action, Action::Allow | Action::AllowTainted) {
            let rule = Rule {
                user: Some(new.id),
                ..policy.rule
            };
            policies::insert(tx, &rule, now).await?;
        }
    }
    Ok(new)
}

/// Ends each way in that may be the parted account's: neither of two people who have parted stays logged in as the
/// other. What is older than the account cannot have been made by it, and stays.
async fn end_ways_in(tx: &mut Tx, of: UserId, account: &Account, now: Timestamp) -> Result<(), StoreError> {
    const SINCE: &str = "user_id = $1 AND created_at >= COALESCE((SELECT i.created_at FROM identities i
         WHERE i.platform = $2 AND i.platform_user_id = $3), 0)";
    for table in ["sessions", "login_links", "passkeys"] {
        let sql = format!("DELETE FROM {table} WHERE {SINCE}");
        tx.defer(sql, args![of, account.platform.as_str(), &account.id]).await?;
    }
    tx.defer(
        format!("UPDATE api_tokens SET revoked_at = $4 WHERE revoked_at IS NULL AND {SINCE}"),
        args![of, account.platform.as_str(), &account.id, now],
    )
    .await
}
