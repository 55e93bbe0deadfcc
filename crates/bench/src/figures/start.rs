//! From the start of the process to its first poll: with a database to make, and with one that is there.

use std::time::Duration;

use super::Bench;
use crate::{
    process,
    report::{Figure, Limit, Round},
    traffic::Tally,
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
        let bot = process::clifford(&bench.clifford, &world, dir.path())?;
        let polled = world.first_poll().await?;
        *took = polled.saturating_duration_since(bot.started).as_secs_f64() * 1000.0;
        bot.kill().await?;
    }
    let [new, again] = took;
    Ok(Round {
        figures: vec![
            Figure::new("start to first poll", "ms", again, Limit::Under(150.0)),
            Figure::new("the same with a new database", "ms", new, Limit::Under(150.0)),
        ],
        tally: Tally::default(),
        curves: Vec::new(),
    })
}
