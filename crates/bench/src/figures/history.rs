//! What a long past costs: the same turn in a short conversation of somebody new, and in a long one of somebody of
//! whom much was remembered and put away.

use std::{path::Path, time::Duration};

use anyhow::Context;
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use super::Bench;
use crate::{
    process,
    report::{Figure, Limit, Round},
    traffic,
};

/// The two who are compared: their places among the people, and how many messages and put-away items are theirs.
const SHORT: (usize, u32) = (0, 100);
const LONG: (usize, u32) = (1, 10_000);
/// How many messages of a conversation are shown to the model; those before are told by its summary.
const SHOWN: u32 = 100;
/// Turns of each that are measured: few enough that neither conversation is compacted meanwhile.
const TURNS: usize = 50;

/// Measures it.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let scene = bench.clifford(Duration::ZERO).await?;
    traffic::one_at_a_time(&scene.world, 2, 2).await?;
    scene.bot.kill().await?;
    fill(&process::database(scene.dir.path())).await?;

    let polls = scene.world.telegram.polls();
    let bot = process::clifford(&bench.clifford, &scene.world, scene.dir.path())?;
    let polled = scene
        .world
        .telegram
        .wait_until("a poll", |fake| (fake.polls() > polls).then_some(()));
    polled.await;
    let mut tally = traffic::Tally::default();
    let mut took = [Vec::new(), Vec::new()];
    for turn in 0..TURNS {
        // Each begins as often as the other.
        let order = if turn % 2 == 0 { [0, 1] } else { [1, 0] };
        for who in order {
            let place = [SHORT, LONG][who].0;
            let mut replies = scene.world.replies();
            replies.expect(scene.world.ask(place));
            replies.wait_for_all().await?;
            tally.add(replies.tally());
            took[who].extend(replies.took.iter().map(Duration::as_secs_f64));
        }
    }
    bot.kill().await?;

    let [short, long] = took.map(median);
    let turn = |name, seconds: f64| Figure::new(name, "ms", seconds * 1000.0, Limit::None);
    Ok(Round {
        figures: vec![
            turn("a turn with 100 messages and items behind it", short),
            turn("a turn with 10,000 messages and items", long),
            Figure::new(
                "the longer one costs so many times more",
                "x",
                long / short,
                Limit::Under(1.3),
            ),
        ],
        tally,
    })
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// Gives both their past. The conversations are those that their first question began.
async fn fill(database: &Path) -> anyhow::Result<()> {
    let mut conn = SqliteConnectOptions::new().filename(database).connect().await?;
    for (place, count) in [SHORT, LONG] {
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
