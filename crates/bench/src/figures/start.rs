//! From the start of the process to its first poll: with a database to make, and with one that is there.

use std::time::Duration;

use super::Bench;
use crate::{
    process::{self, Process},
    replies::Tally,
    report::{Figure, Limit, Round},
    world::World,
};

/// Measures it.
///
/// # Errors
/// It does not start.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let dir = bench.dir()?;
    let mut took = [0.0; 2];
    for took in &mut took {
        let world = World::new(Duration::ZERO).await?;
        *took = until_polled(&world, process::clifford(&bench.clifford, &world, dir.path())?).await?;
    }
    let [new, again] = took;
    let figure = |name, took, bare| Figure::new(name, "ms", took, Limit::Under(150.0)).beside(bare);
    let [bare_new, bare_again] = bare(bench).await?;
    Ok(Round {
        figures: vec![
            figure("start to first poll", again, bare_again),
            figure("the same with a new database", new, bare_new),
        ],
        tally: Tally::default(),
        curves: Vec::new(),
    })
}

/// The same of the bare loop.
async fn bare(bench: &Bench) -> anyhow::Result<[f64; 2]> {
    let bodies = bench.bodies().await?;
    let dir = bench.dir()?;
    let mut took = [0.0; 2];
    for took in &mut took {
        let world = World::new(Duration::ZERO).await?;
        *took = until_polled(&world, process::bare(&world, dir.path(), &bodies)?).await?;
    }
    Ok(took)
}

/// How many milliseconds a process takes from its start to its first poll.
async fn until_polled(world: &World, bot: Process) -> anyhow::Result<f64> {
    let polled = world.first_poll().await?;
    let took = polled.saturating_duration_since(bot.started).as_secs_f64() * 1000.0;
    bot.kill().await?;
    Ok(took)
}
