//! The cost of a large database: the same turn of the same people, with little and with a million messages
//! of others.

use std::{path::Path, time::Duration};

use anyhow::{Context, ensure};
use sqlx::{ConnectOptions, Connection};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};

use super::{Bench, Scene, growth::side_by_side};
use crate::{
    report::{Figure, Limit, Round},
    traffic,
};

/// Messages of others in the databases that are compared.
const SIZES: [u32; 3] = [1_000, 50_000, 1_000_000];
const SMALL_SIZES: [u32; 3] = [1_000, 5_000, 50_000];
/// Turns in each: few enough, three times over, that no conversation is compacted meanwhile.
const TURNS: usize = 18;
/// The person whose turns are copied as those of others, and how many of theirs.
const TEMPLATE: usize = 1;
const TEMPLATE_TURNS: u32 = 25;

/// Measures it.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let sizes = bench.amount(SIZES, SMALL_SIZES);
    let mut scenes = Vec::new();
    for size in sizes {
        scenes.push(among(bench, size).await?);
    }
    let askers: Vec<_> = scenes.iter().map(|scene| (&scene.world, 0)).collect();
    let growth = side_by_side(&askers, TURNS).await?;
    for scene in scenes {
        scene.bot.kill().await?;
    }
    let [least, _, most] = growth.took[..] else {
        anyhow::bail!("a turn of {} databases was measured", growth.took.len());
    };
    let [_, _, largest] = sizes.map(f64::from);
    let figures = vec![
        Figure::new("messages in the largest database", "", largest, Limit::None),
        Figure::new("a turn in a database of 1,000 messages", "ms", least, Limit::None),
        Figure::new("a turn in the largest database", "ms", most, Limit::None),
        growth.figure("the larger costs so many times more"),
    ];
    Ok(growth.round(figures, "messages in the database", &sizes))
}

/// A bot that has so many messages of others in its database.
async fn among(bench: &Bench, messages: u32) -> anyhow::Result<Scene> {
    let scene = bench.clifford(Duration::ZERO).await?;
    for (person, turns) in [(0, 2), (TEMPLATE, TEMPLATE_TURNS)] {
        for _ in 0..turns {
            let mut replies = scene.world.replies();
            replies.expect(scene.world.ask(person));
            replies.wait_for_all().await?;
            ensure!(replies.tally().lost == 0, "the turns to copy were not answered");
        }
    }
    let filled = scene.meanwhile(&bench.clifford, async |database| {
        fill(database, messages / (2 * TEMPLATE_TURNS))
            .await
            .context("the messages of others could not be written")
    });
    let scene = filled.await?;
    // The first turns after a start read what later ones find in memory.
    traffic::one_at_a_time(&scene.world, 1, 3).await?;
    Ok(scene)
}

/// Copies what the template's person has said and was answered, with its runs, as that of so many others.
async fn fill(database: &Path, copies: u32) -> anyhow::Result<()> {
    let mut conn = SqliteConnectOptions::new().filename(database).connect().await?;
    for pragma in [
        "journal_mode = DELETE",
        "synchronous = OFF",
        "cache_size = -200000",
        "foreign_keys = OFF",
    ] {
        run(&mut conn, &format!("PRAGMA {pragma}")).await?;
    }
    run(&mut conn, "BEGIN").await?;
    run(
        &mut conn,
        &format!(
            "CREATE TEMP TABLE copies AS
             WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < {copies})
             SELECT n FROM copies"
        ),
    )
    .await?;
    let person = format!("{}", 1001 + TEMPLATE);
    run(
        &mut conn,
        &format!(
            "CREATE TEMP TABLE template AS SELECT id AS channel, user_id AS user, active_context_id AS context
             FROM channels WHERE external_id = '{person}'"
        ),
    )
    .await?;
    // Of each table: which rows are the person's, and which of their columns are ids or must differ otherwise.
    for (table, of_person, ids, others) in [
        ("users", "id = user", "id", ""),
        (
            "channels",
            "id = channel",
            "id, user_id, active_context_id",
            "external_id, account",
        ),
        ("contexts", "id = context", "id, channel_id, user_id", ""),
        (
            "runs",
            "context_id = context",
            "id, root_run_id, channel_id, user_id, context_id",
            "",
        ),
        (
            "messages",
            "context_id = context",
            "id, channel_id, user_id, run_id, context_id",
            "platform_message_id, idempotency_key",
        ),
        (
            "message_parts",
            "message_id IN (SELECT id FROM messages WHERE context_id = context)",
            "message_id",
            "delivery_key",
        ),
    ] {
        copy(&mut conn, table, of_person, ids, others)
            .await
            .with_context(|| format!("copies of {table}"))?;
    }
    run(&mut conn, "COMMIT").await?;
    run(&mut conn, "ANALYZE").await?;
    run(&mut conn, "PRAGMA journal_mode = WAL").await?;
    conn.close().await?;
    Ok(())
}

async fn copy(
    conn: &mut SqliteConnection,
    table: &str,
    of_person: &str,
    ids: &str,
    others: &str,
) -> anyhow::Result<()> {
    let columns = |list: &str| -> Vec<String> {
        let names = list.split(", ").filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    };
    // Ids begin with the time of their making, and those of the copies with a time long ago.
    let id = |name: &String| format!("{name} = printf('%08x', n) || substr({name}, 9)");
    let other = |name: &String| format!("{name} = {name} || '-' || n");
    let mut changes: Vec<String> = columns(ids).iter().map(id).collect();
    changes.extend(columns(others).iter().map(other));
    if table == "messages" {
        // They count as indexed: what a search costs is measured elsewhere.
        changes.push("search_id = 1000000 + rowid".to_owned());
    }
    for sql in [
        format!("CREATE TEMP TABLE copied AS SELECT t.*, n FROM copies, {table} t, template WHERE {of_person}"),
        format!("UPDATE copied SET {}", changes.join(", ")),
        "ALTER TABLE copied DROP COLUMN n".to_owned(),
        format!("INSERT INTO {table} SELECT * FROM copied"),
        "DROP TABLE copied".to_owned(),
    ] {
        run(conn, &sql).await?;
    }
    Ok(())
}

async fn run(conn: &mut SqliteConnection, sql: &str) -> anyhow::Result<()> {
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned()))
        .execute(conn)
        .await
        .with_context(|| sql.to_owned())?;
    Ok(())
}
