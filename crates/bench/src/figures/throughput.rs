//! How many replies a second, while 20 people wait for one each; the next to write is the person longest silent, so
//! that conversations stay of a length that people have.

use std::time::Duration;

use super::{Bench, Scene};
use crate::{
    replies::Replies,
    report::{Figure, Limit, Round},
    traffic,
};

const PEOPLE: usize = 20;
const TIME: Duration = Duration::from_secs(4);
const MOMENT: Duration = Duration::from_millis(1500);

/// Measures it.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let time = bench.amount(TIME, MOMENT);
    let scene = bench.clifford(Duration::ZERO).await?;
    scene.warm_up(PEOPLE).await?;
    let (replies, rate, busy) = load(&scene, time).await?;
    let bodies = scene.world.record().await?;
    scene.end().await?;

    let scene = bench.bare(Duration::ZERO, &bodies).await?;
    scene.warm_up(PEOPLE).await?;
    let (_, bare_rate, bare_busy) = load(&scene, time).await?;
    scene.end().await?;

    Ok(Round {
        figures: vec![
            Figure::new("replies, 20 in flight", "/s", rate, Limit::OverOrHalfOfBare(1000.0)).beside(bare_rate),
            Figure::new("processor time of a reply, 20 in flight", "ms", busy, Limit::None).beside(bare_busy),
        ],
        tally: replies.tally(),
        curves: Vec::new(),
    })
}

/// The replies, how many a second, and the processor's milliseconds that the bot spent on each.
async fn load(scene: &Scene, time: Duration) -> anyhow::Result<(Replies, f64, f64)> {
    let before = scene.bot.processor_time()?;
    let (replies, rate) = traffic::in_flight(&scene.world, PEOPLE, time).await?;
    let used = scene.bot.processor_time()?.saturating_sub(before);
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let each = used.as_secs_f64() * 1000.0 / replies.took.len().max(1) as f64;
    Ok((replies, rate, each))
}
