//! Cleans the space that deleted rows leave behind.

use clifford_core::value::args;
use sqlx::AssertSqlSafe;

use crate::{Db, Pools, StoreError};

/// The tables that hold what people said, or what follows from it.
const TABLES: &[&str] = &[
    "messages",
    "message_parts",
    "message_search",
    "runs",
    "run_steps",
    "usage",
    "budget_spending",
    "budget_reservations",
    "budget_notices",
    "contexts",
    "channels",
    "memory_items",
    "users",
    "identities",
    "jobs",
    "files",
    "loose_files",
    "documents",
    "document_chunks",
    "chunk_search",
    "settings",
    "unreadable_events",
    "pairings",
    "link_codes",
    "link_attempts",
    "api_tokens",
    "sessions",
    "login_links",
    "passkeys",
    "passkey_challenges",
    "user_secrets",
    "run_feedback",
    "status_messages",
    "triggers",
    "trigger_firings",
    "trigger_secrets",
    "webhook_calls",
];

/// Removes deleted messages from the search index, and on SQLite from its log, too; PostgreSQL is asked to vacuum dead
/// rows and to refresh its statistics. `false`: a reader still holds an old snapshot, so try again a little later.
pub async fn clean(db: &Db) -> Result<bool, StoreError> {
    db.in_place()?;
    match db.pools() {
        Pools::Sqlite { read } => {
            db.write(|tx| {
                Box::pin(async move {
                    for sql in [
                        "INSERT INTO message_search (message_search) VALUES ('optimize')",
                        "INSERT INTO chunk_search (chunk_search) VALUES ('optimize')",
                    ] {
                        tx.execute(sql, args![]).await?;
                    }
                    Ok(())
                })
            })
            .await?;
            let (busy, _, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
                .fetch_one(read)
                .await?;
            Ok(busy == 0)
        }
        Pools::Postgres(pool) => {
            for table in TABLES {
                if let Err(error) = sqlx::query(AssertSqlSafe(format!("VACUUM (ANALYZE) {table}")))
                    .execute(pool)
                    .await
                {
                    tracing::warn!(%error, table, "failed to vacuum, leaving dead rows to autovacuum");
                }
            }
            Ok(true)
        }
    }
}
