//! A storm: the real binary among fakes that fail in every way, killed again and again, and nothing may be lost.
//!
//! People write on Telegram and Discord at once; the model is slow, refuses, breaks off and talks nonsense; the
//! platforms refuse, break connections and lose answers; processes are killed as `kill -9` does, PostgreSQL's server
//! too, and started again. A seed decides all of it. In the end every message must have one answer, in its chat, in
//! its turn, or a sentence that says honestly that there is none.

mod apologies;
mod evidence;
mod fleet;
mod judge;
mod marks;
mod model;
mod people;
mod plan;
mod report;
mod set_aside;
mod world;

use std::{
    collections::{BTreeSet, HashSet},
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use tokio::sync::mpsc;

use self::{
    apologies::{Failed, Sentence},
    evidence::Evidence,
    fleet::{Database, Fleet},
    judge::{Heard, JudgedMessage, Tally, Wrong},
    model::Model,
    people::People,
    plan::{Plan, Shape, Size, Trouble},
    set_aside::DEATHS,
    world::World,
};
use crate::process;

/// How long to look for repeats after the last answer: longer than any lease of the storm's settings.
const AFTERMATH: Duration = Duration::from_secs(5);
/// How often it is looked whether a process died of a message.
const LOOK: Duration = Duration::from_millis(50);
/// How long the first connection to both platforms may take.
const START: Duration = Duration::from_secs(60);

/// Options of `storm`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// How many messages people say.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    messages: u32,
    /// How many people there are, half of them on each platform.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    users: u32,
    /// How often a process is killed.
    #[arg(long, default_value_t = 100)]
    kills: u32,
    /// The seed decides everything else.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many processes share the database; the second half of them only work on runs.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    processes: u32,
    /// `sqlite`, `postgres` (a server of its own, which dies now and then too), or the address of an empty PostgreSQL
    /// database.
    #[arg(long, default_value = "sqlite", value_name = "DATABASE")]
    database: String,
    /// Print one JSON object in the last line.
    #[arg(long)]
    json: bool,
    /// The binary to try, instead of building and taking the one next to this one.
    #[arg(long, value_name = "PATH")]
    clifford: Option<PathBuf>,
}

/// The messages of a storm, and their outcome.
struct StormResult {
    tally: Tally,
    wrong: Vec<Wrong>,
    evidence: Evidence,
    violations: Vec<String>,
}

/// Raises the storm, and says what is left.
///
/// # Errors
/// It could not be raised: something could not be started, or a process ended that nobody killed.
#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    ensure!(
        options.processes == 1 || options.database != "sqlite",
        "several processes need PostgreSQL: add --database postgres"
    );
    let binary = std::path::absolute(process::binary(options.clifford.clone()).await?)?;
    let dir = tempfile::Builder::new().prefix("clifford-storm-").tempdir()?;
    let database = Database::named(&options.database, dir.path()).await?;
    let kills = usize::try_from(options.kills)?;
    let plan = Plan::new(
        options.seed,
        &Size {
            messages: usize::try_from(options.messages)?,
            users: usize::try_from(options.users)?,
            kills,
            processes: usize::try_from(options.processes)?,
            database_restarts: if database.can_restart() { kills.div_ceil(10) } else { 0 },
        },
    );
    ensure!(
        plan.quiet() + kills <= plan.messages.len(),
        "{} people say {} messages before the storm begins, one in each of their chats, and each kill needs one more: add \
         --messages {} or take fewer --users",
        options.users,
        plan.quiet(),
        plan.quiet() + kills
    );
    println!("storm: {}", options.again());
    let began = Instant::now();
    let world = World::new(&plan).await?;
    let mut model = Model::start(&plan, world.pages()).await;
    let processes = usize::try_from(options.processes)?;
    let settings = fleet::settings(&world, &model.base_url(), &database.url, dir.path(), processes);
    let mut fleet = Fleet::start(binary, dir, &settings, processes)?;
    connected(&world, fleet::connected(processes)).await?;
    let raised = raise(&plan, &world, &mut model, &mut fleet, &database).await;
    let outcome = match raised {
        Ok(breaks) => judged(&plan, &world, &model, &database, &breaks, &fleet.died).await?,
        Err(error) => {
            let dir = fleet.dir.keep();
            return Err(error.context(format!("the log is kept in {}", dir.display())));
        }
    };
    let stopped = fleet.stop().await;
    let deadly = plan.messages.iter().filter(|said| said.shape == Shape::Deadly).count();
    println!(
        "{} of {kills} kills, {} deaths of {deadly} messages, {} s",
        fleet.kills,
        fleet.deaths,
        began.elapsed().as_secs()
    );
    print!("{}", report::table(&outcome.tally, plan.messages.len()));
    let clean = outcome.tally.is_clean(plan.messages.len())
        && outcome.violations.is_empty()
        && fleet.kills == kills
        && fleet.deaths <= DEATHS * deadly;
    if !clean {
        print!("{}", report::failures(&plan, &outcome.wrong, &outcome.evidence));
        for violation in outcome.violations.iter().take(8) {
            println!("the platforms or the model complain: {violation}");
        }
    }
    if !clean || stopped.is_err() {
        let profile = if cfg!(debug_assertions) { "" } else { "--release " };
        println!(
            "again: cargo run {profile}-p clifford-bench -- storm {}",
            options.again()
        );
        println!("settings, log and database: {}", fleet.dir.keep().display());
    }
    if options.json {
        println!("{}", serde_json::to_string(&outcome.tally)?);
    }
    stopped?;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl Options {
    /// The command that repeats the same storm.
    fn again(&self) -> String {
        let Self {
            messages,
            users,
            kills,
            seed,
            processes,
            database,
            ..
        } = self;
        let database = if database.contains("://") { "URL" } else { database };
        format!(
            "--messages {messages} --users {users} --kills {kills} --seed {seed} --processes {processes} --database {database}"
        )
    }
}

/// Lets the plan happen, and waits until all is said and answered. Returns when something died.
async fn raise(
    plan: &Plan,
    world: &World,
    model: &mut Model,
    fleet: &mut Fleet,
    database: &Database,
) -> anyhow::Result<Vec<Instant>> {
    let mut people = People::new(world);
    for number in 0..plan.quiet() {
        people.say(world, plan, number, usize::MAX).await;
    }
    people.wait(world, &database.url).await?;
    let (deaths, dying) = mpsc::unbounded_channel();
    let (absences, absent) = mpsc::unbounded_channel();
    let (refusals, refused) = mpsc::unbounded_channel();
    let speaking = async {
        for number in plan.quiet()..plan.messages.len() {
            let said = &plan.messages[number];
            for trouble in &said.before {
                begin(trouble, world, &deaths, &absences)?;
            }
            if let Some(time) = said.refused_for {
                refusals.send((number, time)).context("nobody refuses any more")?;
            }
            people.say(world, plan, number, plan.rooms.len()).await;
            tokio::time::sleep(said.pause).await;
        }
        drop((deaths, absences, refusals));
        anyhow::Ok(())
    };
    let mut breaks = Vec::new();
    tokio::try_join!(
        kill(fleet, world, database, dying, &mut breaks),
        async {
            go_away(model, absent).await;
            anyhow::Ok(())
        },
        async {
            refuse(plan, world, refused).await;
            anyhow::Ok(())
        },
        speaking,
    )?;
    let quiet = async {
        people.wait(world, &database.url).await?;
        tokio::time::sleep(AFTERMATH).await;
        anyhow::Ok(())
    };
    tokio::select! {
        waited = quiet => waited?,
        failed = revive(fleet, world, &mut breaks) => failed?,
    }
    Ok(breaks)
}

/// Waits until the bot is connected to Telegram, and to Discord with each of its shards.
async fn connected(world: &World, shards: usize) -> anyhow::Result<()> {
    let both = async {
        world
            .telegram
            .wait_until("the first poll", |fake| (fake.polls() > 0).then_some(()))
            .await;
        let shards: Vec<_> = (0..shards as u64).collect();
        world
            .discord
            .wait_for("each shard", |fake| (fake.shards() == shards).then_some(()))
            .await;
    };
    tokio::time::timeout(START, both)
        .await
        .context("the bot is not connected to both platforms")
}

fn begin(
    trouble: &Trouble,
    world: &World,
    deaths: &mpsc::UnboundedSender<Trouble>,
    absences: &mpsc::UnboundedSender<Duration>,
) -> anyhow::Result<()> {
    match trouble {
        Trouble::Kill { .. } | Trouble::DatabaseRestart(_) => {
            deaths.send(trouble.clone()).context("nobody kills any more")?;
        }
        Trouble::ModelGone(time) => absences.send(*time).context("the model does not listen any more")?,
        Trouble::Telegram(time, method, fault) => world.telegram.fail_within(*time, *method, fault.clone()),
        Trouble::Discord(time, route, fault) => world.discord.fail_within(*time, *route, *fault),
        Trouble::Gateway(what) => world.gateway(*what),
    }
    Ok(())
}

/// Starts a process in the place of each that died of a message, until one cannot be started.
async fn revive(fleet: &mut Fleet, world: &World, breaks: &mut Vec<Instant>) -> anyhow::Result<()> {
    loop {
        tokio::time::sleep(LOOK).await;
        if fleet.revive()? > 0 {
            breaks.push(Instant::now());
            world.discord.expire_sessions();
        }
    }
}

/// Kills what the plan says, one after the other, and notes when each was dead.
async fn kill(
    fleet: &mut Fleet,
    world: &World,
    database: &Database,
    mut orders: mpsc::UnboundedReceiver<Trouble>,
    breaks: &mut Vec<Instant>,
) -> anyhow::Result<()> {
    loop {
        let order = tokio::select! {
            order = orders.recv() => order,
            failed = revive(fleet, world, breaks) => return failed,
        };
        let Some(order) = order else { return Ok(()) };
        match order {
            Trouble::Kill { process, after } => {
                tokio::time::sleep(after).await;
                breaks.push(fleet.kill(process).await?);
                // A process that is dead resumes no session; real ones expire too.
                world.discord.expire_sessions();
            }
            Trouble::DatabaseRestart(after) => {
                tokio::time::sleep(after).await;
                breaks.push(Instant::now());
                database.restart().await?;
                breaks.push(Instant::now());
            }
            other => bail!("{other:?} kills nothing"),
        }
    }
}

async fn go_away(model: &mut Model, mut orders: mpsc::UnboundedReceiver<Duration>) {
    while let Some(time) = orders.recv().await {
        model.leave();
        tokio::time::sleep(time).await;
        model.come_back().await;
    }
}

/// Lets the platforms answer the answers to these messages with errors of their own, each for its time.
async fn refuse(plan: &Plan, world: &World, mut orders: mpsc::UnboundedReceiver<(usize, Duration)>) {
    let mut over = BTreeSet::new();
    let mut is_open = true;
    while is_open || !over.is_empty() {
        let next = over.first().map_or_else(|| Instant::now() + START, |(at, _)| *at);
        tokio::select! {
            order = orders.recv(), if is_open => match order {
                Some((number, time)) => {
                    world.refuse(plan, number, true);
                    over.insert((Instant::now() + time, number));
                }
                None => is_open = false,
            },
            () = tokio::time::sleep_until(next.into()), if !over.is_empty() => {
                if let Some((_, number)) = over.pop_first() {
                    world.refuse(plan, number, false);
                }
            }
        }
    }
}

async fn judged(
    plan: &Plan,
    world: &World,
    model: &Model,
    database: &Database,
    breaks: &[Instant],
    died: &[Instant],
) -> anyhow::Result<StormResult> {
    let evidence = Evidence::of(&database.url).await?;
    let (runs, errors, not_taken) = (evidence.runs_of(), evidence.errors(), world.not_taken());
    let apologised: HashSet<_> = errors.iter().flatten().copied().collect();
    let words = world.words();
    let asked: Vec<_> = plan
        .messages
        .iter()
        .enumerate()
        .map(|(number, said)| JudgedMessage {
            room: said.room,
            person: said.person,
            may_be_late: said.refused_for.is_some(),
            platform: plan.rooms[said.room].platform,
            accepted: !not_taken.contains(&number),
            runs: runs.get(&number).copied().unwrap_or_default(),
            honest_error: apologised.contains(&number),
        })
        .collect();
    let heard: Vec<_> = words
        .iter()
        .flat_map(|word| {
            marks::pieces(&word.text).into_iter().map(|piece| Heard {
                piece,
                room: word.room.unwrap_or(usize::MAX),
                at: word.at,
                answer_lost: word.answer_lost,
            })
        })
        .collect();
    let (mut tally, mut wrong) = judge::judge(&asked, &heard, breaks);
    let failed = errors.iter().filter_map(|questions| questions.first());
    let failed: Vec<_> = failed
        .map(|question| Failed {
            question: *question,
            room: plan.messages[*question].room,
        })
        .collect();
    let sentences = words.iter().filter(|word| evidence::is_error(&word.text));
    let sentences: Vec<_> = sentences
        .map(|word| Sentence {
            room: word.room,
            at: word.at,
            answer_lost: word.answer_lost,
        })
        .collect();
    let (told, strange) = apologies::judge(&failed, &sentences, |room| plan.rooms[room].platform, breaks);
    tally.add(&told);
    wrong.extend(strange);
    let deadly = |question: &usize| {
        plan.messages
            .get(*question)
            .is_some_and(|said| said.shape == Shape::Deadly)
    };
    // Kills may hit the same run again and again, which is quarantined then, whatever it is.
    let quarantined = evidence.quarantined();
    let innocent = quarantined.iter().filter(|run| !run.questions.iter().any(deadly));
    for run in innocent.filter(|run| !run.is_explained_by(died)) {
        tally.lost += run.questions.len();
        wrong.extend(run.questions.iter().map(|question| Wrong {
            question: *question,
            what: "its run was quarantined, and no process dies of it".to_owned(),
        }));
    }
    Ok(StormResult {
        tally,
        wrong,
        evidence,
        violations: [world.violations(), model.violations()].concat(),
    })
}
