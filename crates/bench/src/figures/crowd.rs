//! 200 people write at the same moment, and the model takes a second for each.

use std::time::Duration;

use super::Bench;
use crate::{
    report::{Figure, Limit, Round},
    traffic, world,
};

const MODEL_TAKES: Duration = Duration::from_secs(1);

/// Measures it. Nobody of them has written before, and no connection is open: a bot meets its crowd so.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let people = usize::try_from(world::PEOPLE)?;
    let scene = bench.clifford(MODEL_TAKES).await?;
    let (replies, clifford) = traffic::at_once(&scene.world, people).await?;
    let memory = scene.bot.resident()?;
    let bodies = scene.world.record().await?;
    scene.end().await?;

    let scene = bench.bare(MODEL_TAKES, &bodies).await?;
    let (_, bare) = traffic::at_once(&scene.world, people).await?;
    let bare_memory = scene.bot.resident()?;
    scene.end().await?;

    Ok(Round {
        figures: vec![
            Figure::new(
                "200 at once, model takes 1 s: the last",
                "s",
                clifford.as_secs_f64(),
                Limit::Under(1.5),
            )
            .beside(bare.as_secs_f64()),
            Figure::new("memory after them", "MB", memory, Limit::None).beside(bare_memory),
        ],
        tally: replies.tally(),
        curves: Vec::new(),
    })
}
