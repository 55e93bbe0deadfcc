//! 200 people are answered at the same moment, at the rates that Clifford has by default: by a Bot API that allows bursts,
//! and by one that takes 30 messages in any second and answers everything else with 429.

use std::time::Duration;

use anyhow::ensure;

use super::{Bench, Scene};
use crate::{
    process,
    report::{Figure, Limit, Round},
    traffic,
    world::{PEOPLE, World},
};

/// The requests that the strict server takes in a second.
const A_SECOND: f64 = 30.0;

/// Measures it.
///
/// # Errors
/// Nothing could be measured, or a message was sent before the time that the server had named.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let people = usize::try_from(PEOPLE)?;
    let scene = scene(bench, false).await?;
    let (replies, burst) = traffic::at_once(&scene.world, people).await?;
    let mut tally = replies.tally();
    scene.end().await?;

    let scene = self::scene(bench, true).await?;
    let (replies, held) = traffic::at_once(&scene.world, people).await?;
    let early = scene.world.telegram.early_by_rate();
    tally.add(replies.tally());
    scene.end().await?;
    ensure!(
        early == 0,
        "{early} messages came before the time that the server had named"
    );

    // 30 at once; the others one after the other, once the ban is over.
    let others = f64::from(u32::try_from(people)?) - A_SECOND;
    let allowed = Duration::from_secs(1).as_secs_f64() + others / A_SECOND;
    Ok(Round {
        figures: vec![
            Figure::new(
                "200 first answers, bursts allowed: the last",
                "s",
                burst.as_secs_f64(),
                Limit::Under(1.5),
            ),
            Figure::new(
                "200 first answers, 30 a second allowed: times what that takes",
                "",
                held.as_secs_f64() / allowed,
                Limit::Under(1.2),
            ),
        ],
        tally,
        curves: Vec::new(),
    })
}

async fn scene(bench: &Bench, is_strict: bool) -> anyhow::Result<Scene> {
    let (world, dir) = (World::with(PEOPLE, Duration::ZERO).await?, bench.dir()?);
    if is_strict {
        world.telegram.enforce_rates();
    }
    let bot = process::clifford_at_rates(&bench.clifford, &world, dir.path())?;
    world.first_poll().await?;
    Ok(Scene { world, bot, dir })
}
