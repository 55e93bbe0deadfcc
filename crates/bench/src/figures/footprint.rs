//! Memory, processor and disk of a bot that has nothing to do.

use std::time::Duration;

use super::Bench;
use crate::{
    report::{Figure, Limit, Round},
    traffic,
};

/// How long nothing happens before memory is read, so that what the start needed is given back.
const REST: Duration = Duration::from_secs(1);
/// How long nothing happens while the processor's time is taken.
const IDLE: Duration = Duration::from_secs(6);
/// What comes in between.
const PEOPLE: usize = 20;
const LOAD: Duration = Duration::from_secs(3);

/// Measures it.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let scene = bench.clifford(Duration::ZERO).await?;
    tokio::time::sleep(REST).await;
    let fresh = scene.bot.resident()?;
    let before = scene.bot.processor_time()?;
    tokio::time::sleep(IDLE).await;
    let used = scene.bot.processor_time()?.saturating_sub(before);
    let idle = 100.0 * used.as_secs_f64() / IDLE.as_secs_f64();
    let (replies, _) = traffic::in_flight(&scene.world, PEOPLE, LOAD).await?;
    tokio::time::sleep(REST).await;
    let after = scene.bot.resident()?;
    scene.end().await?;

    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let binary = std::fs::metadata(&bench.clifford)?.len() as f64 / 1_000_000.0;
    Ok(Round {
        figures: vec![
            Figure::new("memory, idle after the start", "MB", fresh, Limit::Under(30.0)),
            Figure::new("memory, idle after 3 s of load", "MB", after, Limit::None),
            Figure::new("processor, idle, of one core", "%", idle, Limit::Under(0.5)),
            Figure::new("binary", "MB", binary, Limit::Under(40.0)),
        ],
        tally: replies.tally(),
        curves: Vec::new(),
    })
}
