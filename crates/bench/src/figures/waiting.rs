//! 10,000 conversations that begin at the same moment, with a model that takes two seconds for each.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::{Bench, Scene};
use crate::{
    replies::Replies,
    report::{Figure, Limit, Round},
};

const CONVERSATIONS: usize = 10_000;
const FEW: usize = 500;
const MODEL_TAKES: Duration = Duration::from_secs(2);
/// How often to look at what is open.
const LOOK: Duration = Duration::from_millis(100);
/// Files that this process has open besides its ends of the connections.
const OTHER_FILES: usize = 100;

/// Measures it. Each call that waits is a connection to the model: a file open in the bot, and one here.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let conversations = bench.amount(CONVERSATIONS, FEW);
    let files = open_files()?;
    ensure!(
        files >= conversations + OTHER_FILES,
        "{conversations} connections need as many open files, and {files} are allowed: raise the limit (`ulimit -n`)"
    );
    let people = i64::try_from(conversations)?;
    let scene = bench.clifford_among(people, MODEL_TAKES).await?;
    let (replies, clifford, handles) = all_waiting(&scene, conversations).await?;
    let memory = scene.bot.most_resident()?;
    let metrics = scene.bot.metrics().await?;
    let timers = |series: &str| {
        let series = format!("clifford_timer_lateness_seconds_{series}");
        let value = metrics.value(&series);
        value.with_context(|| format!("the bot's metrics have no {series}"))
    };
    let late = timers("count")? - timers("bucket{le=\"0.25\"}")?;
    let bodies = scene.world.record().await?;
    scene.end().await?;

    let scene = bench.bare_among(people, MODEL_TAKES, &bodies).await?;
    let (_, bare, bare_handles) = all_waiting(&scene, conversations).await?;
    let bare_memory = scene.bot.most_resident()?;
    scene.end().await?;

    #[expect(clippy::cast_precision_loss, reason = "at most 10,000")]
    let (conversations, answered) = (conversations as f64, replies.took.len() as f64);
    Ok(Round {
        figures: vec![
            Figure::new("conversations that wait for the model", "", conversations, Limit::None),
            Figure::new("of them answered", "", answered, Limit::None),
            Figure::new(
                "from the first question to the last answer",
                "s",
                clifford.as_secs_f64(),
                Limit::None,
            )
            .beside(bare.as_secs_f64()),
            Figure::new("the most files and connections open", "", handles, Limit::None).beside(bare_handles),
            Figure::new("the most memory meanwhile", "MB", memory, Limit::Under(200.0)).beside(bare_memory),
            Figure::new("timers later than 250 ms", "", late, Limit::Under(1.0)),
        ],
        tally: replies.tally(),
        curves: Vec::new(),
    })
}

/// Lets all ask; returns how long it took from then to the last answer, and how many files were open at most.
async fn all_waiting(scene: &Scene, conversations: usize) -> anyhow::Result<(Replies, Duration, f64)> {
    let mut replies = scene.world.replies();
    let began = Instant::now();
    for person in 0..conversations {
        replies.expect(scene.world.ask(person));
    }
    let most = {
        let (mut most, mut often) = (0, tokio::time::interval(LOOK));
        let mut answered = std::pin::pin!(replies.wait_for_all());
        loop {
            tokio::select! {
                outcome = &mut answered => break outcome.map(|()| most)?,
                _ = often.tick() => most = most.max(scene.bot.handles()?),
            }
        }
    };
    let last = replies.last.unwrap_or_else(Instant::now);
    #[expect(clippy::cast_precision_loss, reason = "some ten thousand")]
    let handles = most as f64;
    Ok((replies, last.saturating_duration_since(began), handles))
}

/// How many files a process may have open here.
fn open_files() -> anyhow::Result<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits")?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next());
    match soft.context("/proc tells no limit of open files")? {
        "unlimited" => Ok(usize::MAX),
        number => Ok(number.parse()?),
    }
}
