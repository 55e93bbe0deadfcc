//! The cost of a reply that somebody watches while it grows, in pieces of four characters as real models write:
//! the processor's time for a character, for replies of three lengths. A cost that grows with the length is
//! quadratic.

use std::time::Duration;

use anyhow::{Context, ensure};
use clifford_fakes::openai::{OpenAiFake, Reply};
use serde_json::{Value, json};

use super::Bench;
use crate::{
    process::{self, Process},
    replies::{PATIENCE, Tally},
    report::{Figure, Limit, Round},
    world::World,
};

/// Characters of a chunk.
const PIECE: usize = 4;
/// Replies of so many characters, and how many of them: the same number of characters each time. In pieces of four a
/// longer reply is more than a provider may send.
const LENGTHS: [(usize, usize); 3] = [(10_000, 15), (50_000, 3), (150_000, 1)];

/// Measures it.
///
/// # Errors
/// A reply did not come.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let (world, dir) = (World::with(1, Duration::ZERO).await?, bench.dir()?);
    let bot = process::clifford(&bench.clifford, &world, dir.path())?;
    world.first_poll().await?;
    watched(&world.model, &bot, 1_000).await?;
    let mut costs = Vec::new();
    for (length, times) in LENGTHS {
        let before = bot.processor_time()?;
        for _ in 0..times {
            watched(&world.model, &bot, length).await?;
        }
        let used = bot.processor_time()?.saturating_sub(before);
        #[expect(clippy::cast_precision_loss, reason = "a few 100,000 characters")]
        let characters = (length * times) as f64;
        costs.push(used.as_secs_f64() * 1e9 / characters);
    }
    bot.kill().await?;
    let [small, medium, large] = costs[..] else {
        anyhow::bail!("there are three lengths");
    };
    Ok(Round {
        figures: vec![
            Figure::new("watched reply of 10,000 characters", "ns/char", small, Limit::None),
            Figure::new("watched reply of 50,000 characters", "ns/char", medium, Limit::None),
            Figure::new("watched reply of 150,000 characters", "ns/char", large, Limit::None),
            Figure::new(
                "150,000 to 10,000, for a character",
                "times",
                large / small,
                Limit::Growth(1.5),
            ),
        ],
        tally: Tally::default(),
        curves: Vec::new(),
    })
}

/// Asks for a reply of so many characters, and watches it until its run has ended.
async fn watched(model: &OpenAiFake, bot: &Process, length: usize) -> anyhow::Result<()> {
    let text = "A word or two, then some more. ".repeat(length / 31 + 1);
    let reply = json!({"type": "send_message", "message": &text[..length]});
    let unwatched = model.hold();
    model.push(Reply::text(in_order(&reply)).in_pieces_of(PIECE));
    let run = bot.post("/api/runs", &json!({"inputText": "tell me"})).await?;
    let id = run["id"].as_str().context("a run has an id")?;
    // A client that has the head of the stream watches the run.
    let stream = bot.get(&format!("/api/runs/{id}/stream")).await?;
    unwatched.release();
    let streamed = tokio::time::timeout(PATIENCE, stream.text());
    let events = streamed.await.context("the run does not end")??;
    let shown = events.matches("event: token").count();
    ensure!(
        shown > 0,
        "nothing was shown of {length} characters while the reply grew"
    );
    Ok(())
}

/// An action as models write it: its type first.
fn in_order(action: &Value) -> String {
    format!("{{\"type\":{},\"message\":{}}}", action["type"], action["message"])
}
