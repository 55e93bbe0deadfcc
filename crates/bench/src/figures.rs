//! One file per measurement.

pub mod crash;
pub mod crowd;
pub mod database;
pub mod drafts;
pub mod footprint;
mod growth;
pub mod history;
pub mod import;
pub mod overhead;
pub mod pacing;
pub mod prompt;
pub mod search;
pub mod servers;
pub mod start;
pub mod throughput;
pub mod waiting;
pub mod worker;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, ensure};
use tempfile::TempDir;

use crate::{
    process::{self, Process},
    traffic,
    world::{Bodies, PEOPLE, World},
};

/// Messages that warm both sides up before anything is measured.
const WARM_UP: usize = 100;

/// The setup of a measurement.
pub struct Bench {
    /// Clifford's binary.
    pub clifford: PathBuf,
    dir: Option<PathBuf>,
    is_short: bool,
}

/// A bot at work in a world.
pub struct Scene {
    /// The world.
    pub world: World,
    /// The bot.
    pub bot: Process,
    /// Where its database is.
    pub dir: TempDir,
}

impl Bench {
    /// Measures this binary, with databases in `dir` or where temporary files are.
    ///
    /// # Errors
    /// The path of the binary cannot be made absolute.
    pub fn new(clifford: PathBuf, dir: Option<PathBuf>) -> anyhow::Result<Self> {
        let clifford = std::path::absolute(&clifford)?;
        Ok(Self {
            clifford,
            dir,
            is_short: false,
        })
    }

    /// The same, with less of everything.
    pub fn short(self, is_short: bool) -> Self {
        Self { is_short, ..self }
    }

    /// How much there is of something.
    pub fn amount<T>(&self, whole: T, short: T) -> T {
        if self.is_short { short } else { whole }
    }

    /// A directory for one bot.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn dir(&self) -> anyhow::Result<TempDir> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("clifford-bench-");
        match &self.dir {
            Some(dir) => builder.tempdir_in(dir),
            None => builder.tempdir(),
        }
        .context("no directory for a database can be made; name another with --dir")
    }

    /// Clifford in a world of its own, at its first poll.
    ///
    /// # Errors
    /// It does not start.
    pub async fn clifford(&self, model_takes: Duration) -> anyhow::Result<Scene> {
        self.clifford_among(PEOPLE, model_takes).await
    }

    /// The same, among so many people.
    ///
    /// # Errors
    /// It does not start.
    pub async fn clifford_among(&self, people: i64, model_takes: Duration) -> anyhow::Result<Scene> {
        let (world, dir) = (World::with(people, model_takes).await?, self.dir()?);
        let bot = process::clifford(&self.clifford, &world, dir.path())?;
        world.first_poll().await?;
        Ok(Scene { world, bot, dir })
    }

    /// The requests that Clifford sends for one message.
    ///
    /// # Errors
    /// It does not start, or does not answer.
    pub async fn bodies(&self) -> anyhow::Result<Bodies> {
        let scene = self.clifford(Duration::ZERO).await?;
        let bodies = scene.world.record().await?;
        scene.end().await?;
        Ok(bodies)
    }

    /// The bare loop in a world of its own, at its first poll.
    ///
    /// # Errors
    /// It does not start.
    pub async fn bare(&self, model_takes: Duration, bodies: &Bodies) -> anyhow::Result<Scene> {
        self.bare_among(PEOPLE, model_takes, bodies).await
    }

    /// The same, among so many people.
    ///
    /// # Errors
    /// It does not start.
    pub async fn bare_among(&self, people: i64, model_takes: Duration, bodies: &Bodies) -> anyhow::Result<Scene> {
        let (world, dir) = (World::with(people, model_takes).await?, self.dir()?);
        let bot = process::bare(&world, dir.path(), bodies)?;
        world.first_poll().await?;
        Ok(Scene { world, bot, dir })
    }
}

impl Scene {
    /// Lets `people` write until connections and caches are warm.
    ///
    /// # Errors
    /// They are not answered.
    pub async fn warm_up(&self, people: usize) -> anyhow::Result<()> {
        let mut replies = traffic::one_at_a_time(&self.world, people, WARM_UP).await?;
        replies.wait_for_all().await?;
        ensure!(
            replies.tally().lost == 0,
            "the bot did not answer while it was warmed up: {:?}",
            self.world.violations()
        );
        Ok(())
    }

    /// Lets something be done to the bot's database while it is down, and starts it again until its first poll.
    ///
    /// # Errors
    /// `change` fails, or the bot does not end or start.
    pub async fn meanwhile(
        self,
        clifford: &Path,
        change: impl AsyncFnOnce(&Path) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let Self { world, bot, dir } = self;
        bot.kill().await?;
        change(&process::database(dir.path())).await?;
        let polls = world.telegram.polls();
        let bot = process::clifford(clifford, &world, dir.path())?;
        let polled = (world.telegram).wait_until("a poll", |fake| (fake.polls() > polls).then_some(()));
        polled.await;
        Ok(Self { world, bot, dir })
    }

    /// Ends the bot.
    ///
    /// # Errors
    /// It had ended by itself, or did what a careful bot does not.
    pub async fn end(self) -> anyhow::Result<()> {
        self.bot.kill().await?;
        let violations = self.world.violations();
        ensure!(violations.is_empty(), "the platforms complain: {violations:?}");
        Ok(())
    }
}
