//! The cost of work in a worker process: the round trip of a small expression, and the memory of the main process while
//! six people send expressions that would take gigabytes.

use std::time::{Duration, Instant};

use anyhow::ensure;
use clifford_fakes::openai::Reply;
use clifford_worker::{Program, WorkError, Workers};
use serde_json::{Value, json};

use super::Bench;
use crate::{
    process,
    replies::Tally,
    report::{Figure, Limit, Round},
    world::World,
};

/// How many small expressions.
const TIMES: usize = 1_000;
const LIMIT: Duration = Duration::from_secs(2);
/// Expressions that would end a process, or take its memory.
const HOSTILE: [&str; 6] = [
    r"(\x.x x)(\x.x x)",
    "roll 999999d999999",
    "@1970-01-01 + 10^15 days",
    "1 << 4000000000",
    "9^9^9^9^9",
    "1 << 3000000000",
];

/// Measures it.
///
/// # Errors
/// A worker process did not do its work.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let workers = Workers::of(Program::at(bench.clifford.as_os_str()));
    let began = Instant::now();
    small(&workers).await?;
    let first = milliseconds(began.elapsed());
    let mut took = Vec::new();
    for _ in 0..bench.amount(TIMES, TIMES / 10) {
        let began = Instant::now();
        small(&workers).await?;
        took.push(milliseconds(began.elapsed()));
    }
    took.sort_by(f64::total_cmp);
    let share = |percent: usize| took.get(took.len() * percent / 100).copied().unwrap_or_default();
    let grown = grown(bench).await?;
    Ok(Round {
        figures: vec![
            Figure::new("first expression, with the process's start", "ms", first, Limit::None),
            Figure::new("small expression, median", "ms", share(50), Limit::Under(1.0)),
            Figure::new("small expression, 99 of 100", "ms", share(99), Limit::Under(10.0)),
            Figure::new(
                "main process, six hostile expressions",
                "MB more",
                grown,
                Limit::Growth(30.0),
            ),
        ],
        tally: Tally::default(),
        curves: Vec::new(),
    })
}

async fn small(workers: &Workers) -> anyhow::Result<()> {
    let value = workers.evaluate("bench", "17 * 23", LIMIT).await;
    ensure!(value == Ok::<_, WorkError>("391".to_owned()), "17 * 23 is {value:?}");
    Ok(())
}

/// How many MB more the main process has held at most, after six people sent hostile expressions at once.
async fn grown(bench: &Bench) -> anyhow::Result<f64> {
    let (world, dir) = (World::with(1, Duration::ZERO).await?, bench.dir()?);
    world.model.respond_with(|request| {
        let Some(at) = request.messages().iter().find_map(|message| {
            let content = message["content"].as_str()?;
            (0..HOSTILE.len()).find(|number| content.contains(&format!("hostile {number}")))
        }) else {
            return Reply::json(&json!({"type": "send_message", "message": "Hello!"}));
        };
        let is_told = request.messages().iter().any(|message| message["role"] == "assistant");
        Reply::json(&if is_told {
            json!({"type": "finish", "output": "It is too much."})
        } else {
            json!({
                "type": "tool_call", "name": "compute.eval", "args": {"expression": HOSTILE[at]},
                "notes": [
                    {"category": "requirements", "content": "a value"},
                    {"category": "plan", "content": "work it out"},
                ],
            })
        })
    });
    let bot = process::clifford(&bench.clifford, &world, dir.path())?;
    world.first_poll().await?;
    bot.post("/api/messages?wait=30", &json!({"content": "hello"})).await?;
    let before = bot.most_resident()?;
    let messages: Vec<_> = (0..HOSTILE.len())
        .map(|number| json!({"inputText": format!("hostile {number}")}))
        .collect();
    let mut runs = Vec::new();
    for message in &messages {
        runs.push(bot.post("/api/runs", message).await?);
    }
    for run in &runs {
        ended(&bot, run).await?;
    }
    let grown = bot.most_resident()? - before;
    bot.kill().await?;
    Ok(grown)
}

async fn ended(bot: &process::Process, run: &Value) -> anyhow::Result<()> {
    let id = run["id"].as_str().unwrap_or_default();
    let events = bot.get(&format!("/api/runs/{id}/stream")).await?.text().await?;
    ensure!(events.contains("event: done"), "the run {id} did not end: {events}");
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
