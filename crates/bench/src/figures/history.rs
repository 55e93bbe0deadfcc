//! The cost of a long past: the same turn in a short conversation of somebody new, and in a long one of somebody
//! of whom much was remembered and put away.

use std::{path::Path, time::Duration};

use anyhow::Context;
use sqlx::{ConnectOptions, Connection};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};

use super::{Bench, growth::side_by_side};
use crate::{
    report::{Figure, Limit, Round},
    traffic,
};

/// The people compared, by their places among the people: how many messages and put-away items are theirs.
const PASTS: [u32; 3] = [100, 1_000, 10_000];
/// How many messages of a conversation are shown to the model; those before are told by its summary.
const SHOWN: u32 = 100;
/// Turns of each that are measured: few enough, three times over, that no conversation is compacted meanwhile.
const TURNS: usize = 15;

/// Measures it.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let scene = bench.clifford(Duration::ZERO).await?;
    traffic::one_at_a_time(&scene.world, PASTS.len(), PASTS.len()).await?;
    let scene = scene.meanwhile(&bench.clifford, fill).await?;
    let askers = [(&scene.world, 0), (&scene.world, 1), (&scene.world, 2)];
    let growth = side_by_side(&askers, TURNS).await?;
    scene.bot.kill().await?;

    let turn = |name, place: usize| Figure::new(name, "ms", growth.took[place], Limit::None);
    let figures = vec![
        turn("a turn with 100 messages and items behind it", 0),
        turn("a turn with 10,000 messages and items", 2),
        growth.figure("the longer one costs so many times more"),
    ];
    Ok(growth.round(figures, "messages and items of the same person", &PASTS))
}

/// Gives all their past. The conversations are those that their first question began.
async fn fill(database: &Path) -> anyhow::Result<()> {
    let mut conn = SqliteConnectOptions::new().filename(database).connect().await?;
    for (place, count) in PASTS.into_iter().enumerate() {
        past(&mut conn, place, count)
            .await
            .with_context(|| format!("the past of person {place} could not be written"))?;
    }
    sqlx::query("ANALYZE").execute(&mut conn).await?;
    conn.close().await?;
    Ok(())
}

async fn past(conn: &mut SqliteConnection, place: usize, count: u32) -> anyhow::Result<()> {
    // People are numbered from 1,001 on.
    let person = format!("{}", 1001 + place);
    // Ids of a time long ago sort before all that comes.
    let id = "printf('00000000-0000-7%03x-8%03x-%012x', n / 1000 % 4096, $2, n)";
    let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)";
    let channel = "(SELECT id FROM channels WHERE external_id = $3)";
    let context = "(SELECT active_context_id FROM channels WHERE external_id = $3)";
    let user = "(SELECT user_id FROM channels WHERE external_id = $3)";
    let statements = [
        format!(
            "{numbers} INSERT INTO messages (id, direction, channel_id, context_id, user_id, content, status, attempts,
                 sent_at, created_at)
             SELECT {id}, CASE n % 2 WHEN 1 THEN 'inbound' ELSE 'outbound' END, {channel}, {context}, {user},
                 'What was said as number ' || n || ', long ago, of no more interest than this.',
                 CASE n % 2 WHEN 1 THEN 'received' ELSE 'delivered' END, 0, n, n FROM numbers"
        ),
        format!(
            "{numbers} INSERT INTO memory_items (id, user_id, level, module, key, value, confidence, shareable, pinned,
                 archived, created_at, last_seen_at)
             SELECT {id}, {user}, n % 6, 'recent_context', 'thing_' || n, 'was true once', 0.6, FALSE, FALSE, TRUE, n, n
             FROM numbers WHERE $3 = $3"
        ),
    ];
    for statement in statements {
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .bind(count)
            .bind(i64::try_from(place)? + 1)
            .bind(&person)
            .execute(&mut *conn)
            .await?;
    }
    let compacted = "UPDATE contexts SET summary = 'Much was said.', compacted_through = (
             SELECT id FROM messages WHERE context_id = contexts.id ORDER BY id DESC LIMIT 1 OFFSET $1)
         WHERE id = (SELECT active_context_id FROM channels WHERE external_id = $2)";
    sqlx::query(compacted)
        .bind(SHOWN)
        .bind(&person)
        .execute(&mut *conn)
        .await?;
    Ok(())
}
