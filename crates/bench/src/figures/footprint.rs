//! Memory, processor and disk of a bot that has nothing to do.

use std::time::Duration;

use super::{Bench, Scene};
use crate::{
    replies::Replies,
    report::{Figure, Limit, Round},
    traffic,
    world::Bodies,
};

/// How long nothing happens before memory is read, so that what the start needed is given back.
const REST: Duration = Duration::from_secs(1);
/// How long nothing happens while the processor's time is taken.
const IDLE: Duration = Duration::from_secs(6);
/// The number of people who write in between.
const PEOPLE: usize = 20;
const LOAD: Duration = Duration::from_secs(3);

/// Measures it.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let (clifford, replies, bodies) = of(bench.clifford(Duration::ZERO).await?).await?;
    let (bare, ..) = of(bench.bare(Duration::ZERO, &bodies).await?).await?;

    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let binary = std::fs::metadata(&bench.clifford)?.len() as f64 / 1_000_000.0;
    Ok(Round {
        figures: vec![
            Figure::new("memory, idle after the start", "MB", clifford.fresh, Limit::Under(30.0)).beside(bare.fresh),
            Figure::new("memory, idle after 3 s of load", "MB", clifford.after, Limit::None).beside(bare.after),
            Figure::new("processor, idle, of one core", "%", clifford.idle, Limit::Under(0.5)),
            Figure::new("binary", "MB", binary, Limit::Under(40.0)),
        ],
        tally: replies.tally(),
        curves: Vec::new(),
    })
}

/// The resources that one process takes.
struct Footprint {
    /// Memory after the start, in MB.
    fresh: f64,
    /// Memory after it had something to do, in MB.
    after: f64,
    /// How many percent of a core it takes with nothing to do.
    idle: f64,
}

async fn of(scene: Scene) -> anyhow::Result<(Footprint, Replies, Bodies)> {
    tokio::time::sleep(REST).await;
    let fresh = scene.bot.resident()?;
    let before = scene.bot.processor_time()?;
    tokio::time::sleep(IDLE).await;
    let used = scene.bot.processor_time()?.saturating_sub(before);
    let (replies, _) = traffic::in_flight(&scene.world, PEOPLE, LOAD).await?;
    tokio::time::sleep(REST).await;
    let footprint = Footprint {
        fresh,
        after: scene.bot.resident()?,
        idle: 100.0 * used.as_secs_f64() / IDLE.as_secs_f64(),
    };
    let bodies = scene.world.record().await?;
    scene.end().await?;
    Ok((footprint, replies, bodies))
}
