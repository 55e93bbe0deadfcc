//! The cost of one message: people write in turn, nobody before the one before was answered.

use std::time::Duration;

use super::Bench;
use crate::{
    report::{Chart, Curve, Figure, Limit, Round},
    traffic,
};

/// Few enough that conversations grow, many enough that they stay conversations.
const PEOPLE: usize = 20;
const MESSAGES: usize = 600;
const FEW: usize = 100;

/// Measures it.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let messages = bench.amount(MESSAGES, FEW);
    let scene = bench.clifford(Duration::ZERO).await?;
    scene.warm_up(PEOPLE).await?;
    let clifford = traffic::one_at_a_time(&scene.world, PEOPLE, messages).await?;
    let bodies = scene.world.record().await?;
    scene.end().await?;

    let scene = bench.bare(Duration::ZERO, &bodies).await?;
    scene.warm_up(PEOPLE).await?;
    let bare = traffic::one_at_a_time(&scene.world, PEOPLE, messages).await?;
    scene.end().await?;

    let figure = |name, share, limit| {
        Figure::new(name, "ms", clifford.percentile(share), Limit::Under(limit)).beside(bare.percentile(share))
    };
    Ok(Round {
        figures: vec![
            figure("overhead of a message, median", 0.5, 4.0),
            figure("overhead of a message, 99 of 100", 0.99, 15.0),
        ],
        tally: clifford.tally(),
        curves: [("Clifford", &clifford), ("the bare loop", &bare)]
            .map(|(name, replies)| Curve {
                chart: Chart::Latency,
                name,
                points: replies.distribution(),
            })
            .into(),
    })
}
