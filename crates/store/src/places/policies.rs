//! Rules about tool calls, and the calls that count against them.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::{ContextId, PolicyId, RunId, SpaceId, UserId},
    json_text::{JsonText, to_json},
    policy::{By, Limit, Per, Rule},
    row::FromRow,
    value::{Value, args},
};
use serde::Serialize;

use crate::{Conn, StoreError, Tx};

/// A rule of the database.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// Its id.
    #[schema(value_type = String)]
    pub id: PolicyId,
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
    /// When it was made.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String)]
    pub updated_at: Timestamp,
}

#[derive(FromRow)]
struct Row {
    id: PolicyId,
    rule: JsonText<Rule>,
    user_id: Option<UserId>,
    space_id: Option<SpaceId>,
    context_id: Option<ContextId>,
    platform_roles: Option<JsonText<Vec<String>>>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// Stands among the conditions of a rule that allows something to roles of the platform: a version that does not know
/// such roles finds no condition in it, so to that version the rule fits no call.
const NEEDS_ROLES: &str = "(platform roles)";

impl From<Row> for Policy {
    fn from(row: Row) -> Self {
        let mut rule = row.rule.0;
        rule.args.retain(|arg| arg != NEEDS_ROLES);
        Self {
            id: row.id,
            rule: Rule {
                user: row.user_id,
                space: row.space_id,
                context: row.context_id,
                platform_roles: row.platform_roles.map(|roles| roles.0).unwrap_or_default(),
                ..rule
            },
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

const SELECT: &str = "SELECT id, rule, user_id, space_id, context_id, platform_roles, created_at, updated_at
                      FROM policies";

/// A rule as its columns: whom it is about stands in columns of its own, so that it goes with them.
fn columns(rule: &Rule) -> [Value; 5] {
    let roles = (!rule.platform_roles.is_empty()).then(|| to_json(&rule.platform_roles));
    let mut bare = Rule {
        platform_roles: Vec::new(),
        user: None,
        space: None,
        context: None,
        ..rule.clone()
    };
    if roles.is_some() && rule.allows() {
        bare.args.push(NEEDS_ROLES.to_owned());
    }
    [
        Value::from(to_json(&bare)),
        Value::from(rule.user),
        Value::from(rule.space),
        Value::from(rule.context),
        Value::from(roles),
    ]
}

/// Every rule, oldest first.
pub async fn list(conn: &mut Conn) -> Result<Vec<Policy>, StoreError> {
    let rows: Vec<Row> = conn.fetch_all(format!("{SELECT} ORDER BY id"), args![]).await?;
    Ok(rows.into_iter().map(Policy::from).collect())
}

/// Whether a rule or a setting goes by the roles that people have on a platform.
pub async fn roles_matter(conn: &mut Conn) -> Result<bool, StoreError> {
    conn.exists(
        "SELECT CAST(1 AS BIGINT) WHERE EXISTS (SELECT 1 FROM policies WHERE platform_roles IS NOT NULL)
             OR EXISTS (SELECT 1 FROM settings WHERE name IN ('use_roles', 'approve_roles'))",
        args![],
    )
    .await
}

/// The rules that are about a person, wherever they are: none of a single conversation.
pub async fn about(conn: &mut Conn, person: UserId) -> Result<Vec<Policy>, StoreError> {
    let sql = format!("{SELECT} WHERE user_id = $1 AND context_id IS NULL ORDER BY id");
    let rows: Vec<Row> = conn.fetch_all(sql, args![person]).await?;
    Ok(rows.into_iter().map(Policy::from).collect())
}

/// One rule.
pub async fn get(conn: &mut Conn, id: PolicyId) -> Result<Option<Policy>, StoreError> {
    let row: Option<Row> = conn
        .fetch_optional(format!("{SELECT} WHERE id = $1"), args![id])
        .await?;
    Ok(row.map(Policy::from))
}

/// Makes a rule.
///
/// # Errors
/// [`StoreError::Conflict`]: the person, space or conversation that it is about is not known.
pub async fn insert(tx: &mut Tx, rule: &Rule, now: Timestamp) -> Result<Policy, StoreError> {
    let id = PolicyId::new();
    let mut values = args![id];
    values.extend(columns(rule));
    values.push(now.into());
    tx.execute(
        "INSERT INTO policies (id, rule, user_id, space_id, context_id, platform_roles, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7)",
        values,
    )
    .await?;
    Ok(Policy {
        id,
        rule: rule.clone(),
        created_at: now,
        updated_at: now,
    })
}

/// Replaces a rule. `false`: there is none.
///
/// # Errors
/// As [`insert`].
pub async fn change(tx: &mut Tx, id: PolicyId, rule: &Rule, now: Timestamp) -> Result<bool, StoreError> {
    let mut values = args![id];
    values.extend(columns(rule));
    values.push(now.into());
    let changed = tx
        .execute(
            "UPDATE policies SET rule = $2, user_id = $3, space_id = $4, context_id = $5, platform_roles = $6, updated_at = $7
             WHERE id = $1",
            values,
        )
        .await?;
    Ok(changed == 1)
}

/// Deletes a rule. `false`: there is none.
pub async fn remove(tx: &mut Tx, id: PolicyId) -> Result<bool, StoreError> {
    tx.execute("DELETE FROM policy_uses WHERE policy = $1", args![id])
        .await?;
    Ok(tx.execute("DELETE FROM policies WHERE id = $1", args![id]).await? == 1)
}

/// Counts a call against a limit, unless that is reached. Counting the same call again changes nothing, so that a
/// call which a crash came between is counted once. `false`: there were too many.
pub async fn count(tx: &mut Tx, limit: &Limit, run: RunId, call: &str, now: Timestamp) -> Result<bool, StoreError> {
    // On SQLite every transaction is the only one that writes.
    if tx.is_postgres() {
        tx.execute("SELECT pg_advisory_xact_lock(hashtext($1))", args![&limit.key])
            .await?;
    }
    let counted = tx
        .exists(
            "SELECT CAST(1 AS BIGINT) FROM policy_uses WHERE policy = $1 AND run_id = $2 AND call = $3",
            args![&limit.key, run, call],
        )
        .await?;
    if counted {
        return Ok(true);
    }
    let (used,): (i64,) = tx
        .fetch_one(used(limit.by), args![&limit.key, now.before(limit.per.length()), run])
        .await?;
    if used >= i64::from(limit.calls) {
        return Ok(false);
    }
    tx.execute(
        "INSERT INTO policy_uses (policy, run_id, call, created_at) VALUES ($1, $2, $3, $4)",
        args![&limit.key, run, call, now],
    )
    .await?;
    Ok(true)
}

/// How many calls count against rule `$1` since `$2`, for the subject of run `$3`. A call belongs to the person of its
/// run now: two accounts that became one person's have one count.
const fn used(by: By) -> &'static str {
    match by {
        By::Bot => {
            "SELECT COUNT(*) FROM policy_uses u WHERE u.policy = $1 AND u.created_at > $2 AND $3 IS NOT NULL"
        }
        By::User => {
            "SELECT COUNT(*) FROM policy_uses u JOIN runs r ON r.id = u.run_id
             WHERE u.policy = $1 AND u.created_at > $2
             AND COALESCE(r.user_id, '') = (SELECT COALESCE(own.user_id, '') FROM runs own WHERE own.id = $3)"
        }
        By::Space => {
            "SELECT COUNT(*) FROM policy_uses u JOIN runs r ON r.id = u.run_id LEFT JOIN channels c ON c.id = r.channel_id
             WHERE u.policy = $1 AND u.created_at > $2
             AND COALESCE(c.space_id, r.user_id, '') = (
                 SELECT COALESCE(there.space_id, own.user_id, '') FROM runs own
                 LEFT JOIN channels there ON there.id = own.channel_id WHERE own.id = $3)"
        }
    }
}

/// Deletes calls that no longer count against any rule: those older than the rule's period. `limits`: each rule's key
/// and period. Calls under an unknown key are kept for the longest period of any rule: another process may have that
/// rule in its configuration.
pub async fn forget_uses(tx: &mut Tx, limits: &[(String, Duration)], now: Timestamp) -> Result<u64, StoreError> {
    let counted: Vec<(String,)> = tx.fetch_all("SELECT DISTINCT policy FROM policy_uses", args![]).await?;
    let mut forgotten = 0;
    for (policy,) in counted {
        let limit = limits.iter().find(|(key, _)| *key == policy);
        let length = limit.map_or(Per::Month.length(), |(_, length)| *length);
        let sql = "DELETE FROM policy_uses WHERE policy = $1 AND created_at <= $2";
        forgotten += tx.execute(sql, args![policy, now.before(length)]).await?;
    }
    Ok(forgotten)
}
