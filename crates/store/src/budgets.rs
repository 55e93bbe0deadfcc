//! Budgets in the database: spending, reservations of calls under way, and the people already notified.

use clifford_core::{
    budget::{Account, Amount, BOT, Scope, Settlement, Window},
    places::Channel,
    row::FromRow,
    value::args,
};

use super::{Conn, StoreError, Tx, leases::ClaimWindow, usage::bounded};
use crate::places::channels;

const COST: &str = bounded!("cost");
const PROMPT: &str = bounded!("prompt_tokens");
const COMPLETION: &str = bounded!("completion_tokens");
/// A reservation, capped so that no sum overflows.
const RESERVED: &str = bounded!("r.tokens");
/// More than this a budget does not count: the next call must not overflow it.
const MOST_SPENT: i64 = 1_000_000_000_000_000;

/// How a budget stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BudgetSpending {
    /// The cost of settled calls.
    pub settled: Amount,
    /// The most that calls under way may cost.
    pub reserved: Amount,
}

#[derive(FromRow)]
struct Sum {
    cost: f64,
    tokens: i64,
}

impl From<Sum> for Amount {
    fn from(sum: Sum) -> Self {
        Self {
            cost: sum.cost,
            tokens: u64::try_from(sum.tokens).unwrap_or(0),
        }
    }
}

/// A reservation holds as long as the claim that it was made under, and a claim as long as its worker may be at the call:
/// this process (`$3`) until it gives the claim back, however late it renews the lease; another one for a lease longer
/// than the row says (`$4`: one lease ago). A run that is cancelled is charged for the call that it broke off, which
/// takes no longer than a lease. Other work holds a lease by its own name, which it deletes.
const HELD: &str = "(EXISTS (SELECT 1 FROM runs h WHERE h.id = r.holder
                         AND (h.epoch = r.epoch AND h.lease_until > 0 AND (h.lease_owner = $3 OR h.lease_until > $4)
                              OR h.epoch = r.epoch + 1 AND h.status = 'cancelled' AND h.ended_at > $4))
                     OR EXISTS (SELECT 1 FROM jobs h WHERE h.id = r.holder AND h.epoch = r.epoch AND h.lease_until > 0
                         AND (h.lease_owner = $3 OR h.lease_until > $4))
                     OR EXISTS (SELECT 1 FROM leases h WHERE h.name = r.holder AND h.until > 0
                         AND (h.owner = $3 OR h.until > $4)))";

/// How a budget stands for this holder, whose own reservation does not count. Its row is locked until the transaction
/// ends, so that nobody else reserves at the same time.
pub async fn standing(
    tx: &mut Tx,
    account: &Account,
    holder: &str,
    window: ClaimWindow,
) -> Result<BudgetSpending, StoreError> {
    let settled = match lock(tx, account).await? {
        Some(settled) => settled,
        None => sum_up(tx, account).await?,
    };
    let a_lease_ago = window.over.before(window.until.since(window.now));
    let sql = format!(
        "SELECT CAST(COALESCE(SUM(r.cost), 0) AS DOUBLE PRECISION) AS cost,
                CAST(COALESCE(SUM({RESERVED}), 0) AS BIGINT) AS tokens
         FROM budget_reservations r WHERE r.subject = $1 AND r.holder <> $2 AND {HELD}"
    );
    let reserved: Sum = tx
        .fetch_one(sql, args![&account.subject, holder, window.worker, a_lease_ago])
        .await?;
    Ok(BudgetSpending {
        settled,
        reserved: reserved.into(),
    })
}

async fn lock(tx: &mut Tx, account: &Account) -> Result<Option<Amount>, StoreError> {
    let row: Option<Sum> = tx
        .fetch_optional(
            "UPDATE budget_spending SET cost = cost WHERE subject = $1 AND period = $2 RETURNING cost, tokens",
            args![&account.subject, &account.window.key],
        )
        .await?;
    Ok(row.map(Amount::from))
}

/// Sums up what was spent, where no row says so. The row is made and locked first: a charge that is not committed yet
/// has it, or waits for it, so none is missing in the sum.
async fn sum_up(tx: &mut Tx, account: &Account) -> Result<Amount, StoreError> {
    let (subject, period) = (&account.subject, &account.window.key);
    tx.execute(
        "INSERT INTO budget_spending (subject, period, cost, tokens)
         SELECT $1, $2, 0, 0 WHERE $1 = $3 OR EXISTS (SELECT 1 FROM users WHERE id = $1)
             OR EXISTS (SELECT 1 FROM spaces WHERE id = $1)
             OR EXISTS (SELECT 1 FROM users u, spaces s WHERE u.id = SUBSTR($1, 1, 36) AND s.id = SUBSTR($1, 38))
         ON CONFLICT DO NOTHING",
        args![subject, period, BOT],
    )
    .await?;
    lock(tx, account).await?;
    let spent = spent(tx, account.budget.scope, subject, &account.window).await?;
    tx.execute(
        "UPDATE budget_spending SET cost = $3, tokens = $4 WHERE subject = $1 AND period = $2",
        args![subject, period, spent.cost, spent.tokens],
    )
    .await?;
    Ok(spent)
}

/// The spending of a person, a space or the bot, without calls by a person's own key.
pub async fn spent(conn: &mut Conn, scope: Scope, subject: &str, window: &Window) -> Result<Amount, StoreError> {
    let whose = match scope {
        Scope::User => "user_id = $3",
        Scope::Space => "space_id = $3",
        Scope::Member => "user_id || '@' || space_id = $3",
        Scope::Bot => "$3 = 'bot'",
    };
    let sql = format!(
        "SELECT CAST(COALESCE(SUM({COST}), 0) AS DOUBLE PRECISION) AS cost,
                CAST(COALESCE(SUM({PROMPT} + {COMPLETION}), 0) AS BIGINT) AS tokens
         FROM usage WHERE created_at >= $1 AND created_at < $2 AND NOT own_key AND {whose}"
    );
    let sum: Sum = conn.fetch_one(sql, args![window.from, window.until, subject]).await?;
    Ok(sum.into())
}

/// Reserves for each subject what a call may cost at most.
pub async fn reserve(
    tx: &mut Tx,
    holder: &str,
    epoch: i64,
    subjects: &[&str],
    worst: Amount,
) -> Result<(), StoreError> {
    for subject in subjects {
        tx.defer(
            "INSERT INTO budget_reservations (holder, epoch, subject, cost, tokens) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (holder, subject) DO UPDATE SET epoch = $2, cost = $4, tokens = $5",
            args![holder, epoch, *subject, worst.cost, worst.tokens],
        )
        .await?;
    }
    Ok(())
}

/// Charges the cost of a call, whose usage the same transaction has recorded, and drops its reservation, under its own
/// claim: a later holder of the run or job has reserved for itself.
pub async fn settle(tx: &mut Tx, settlement: &Settlement, amount: Amount) -> Result<(), StoreError> {
    if amount != Amount::default() {
        for account in &settlement.charged {
            let sql = "UPDATE budget_spending SET cost = cost + $1,
                     tokens = CASE WHEN tokens >= $5 THEN $5 WHEN tokens + $2 > $5 THEN $5 ELSE tokens + $2 END
                 WHERE subject = $3 AND period = $4";
            let values = args![
                amount.cost,
                amount.tokens.min(MOST_SPENT.unsigned_abs()),
                &account.subject,
                &account.window.key,
                MOST_SPENT
            ];
            if tx.execute(sql, values).await? == 0 {
                sum_up(tx, account).await?;
            }
        }
    }
    tx.defer(
        "DELETE FROM budget_reservations WHERE holder = $1 AND epoch = $2",
        args![&settlement.holder, settlement.epoch],
    )
    .await
}

/// Records the notice to somebody that a budget is spent. `false`: another run or job has sent it.
pub async fn notice(tx: &mut Tx, account: &Account, recipient: &str, holder: &str) -> Result<bool, StoreError> {
    tx.execute(
        "INSERT INTO budget_notices (subject, period, recipient, holder) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
        args![&account.subject, &account.window.key, recipient, holder],
    )
    .await?;
    tx.exists(
        "SELECT CAST(1 AS BIGINT) FROM budget_notices
         WHERE subject = $1 AND period = $2 AND recipient = $3 AND holder = $4",
        args![&account.subject, &account.window.key, recipient, holder],
    )
    .await
}

/// The private chat in which an owner was last seen.
pub async fn owners_channel(conn: &mut Conn) -> Result<Option<Channel>, StoreError> {
    let sql = format!(
        "{} WHERE kind = 'private' AND enabled AND platform NOT IN ('terminal', 'web')
         AND user_id IN (SELECT id FROM users WHERE role = 'owner')
         ORDER BY COALESCE(last_message_at, 0) DESC, id LIMIT 1",
        channels::SELECT
    );
    conn.fetch_optional(sql, args![]).await
}

/// Deletes the spending and notices of periods that are long over.
pub async fn forget_before(tx: &mut Tx, period: &str) -> Result<(), StoreError> {
    for table in ["budget_spending", "budget_notices"] {
        tx.defer(format!("DELETE FROM {table} WHERE period < $1"), args![period])
            .await?;
    }
    Ok(())
}

/// The name of a space.
pub async fn space_name(conn: &mut Conn, id: &str) -> Result<Option<String>, StoreError> {
    let row: Option<(Option<String>,)> = conn
        .fetch_optional("SELECT name FROM spaces WHERE id = $1", args![id])
        .await?;
    Ok(row.and_then(|row| row.0))
}

/// Drops the cached sums, so that they are computed again: usage may have changed hands, or have been written while no
/// budget was set.
pub async fn sum_up_anew(tx: &mut Tx) -> Result<(), StoreError> {
    tx.defer("DELETE FROM budget_spending", args![]).await?;
    // A reservation counts as long as its claim is current; the rest ended long ago.
    tx.defer(
        "DELETE FROM budget_reservations WHERE NOT EXISTS (SELECT 1 FROM runs h WHERE h.id = holder AND h.epoch = budget_reservations.epoch)
         AND NOT EXISTS (SELECT 1 FROM jobs h WHERE h.id = holder AND h.epoch = budget_reservations.epoch)
         AND NOT EXISTS (SELECT 1 FROM leases h WHERE h.name = holder)",
        args![],
    )
    .await
}
