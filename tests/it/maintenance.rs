//! Maintenance: what is deleted by itself is, by one process at a time, and how that went is seen.

use crate::{
    api_watch::{Watch, named, watched},
    harness::{Bot, Setup, Site},
};

/// See `telemetry::failpoint`.
const VARIABLE: &str = "CLIFFORD_CRASH_ON";
const RUNS: &str = "SELECT runs FROM maintenance_jobs WHERE name = 'retention'";

/// Runs are kept for a second, so the retention sweep is due each second.
fn forgetful(setup: Setup) -> Setup {
    watched(setup).set("retention.runs_days", 0.00001)
}

fn both() -> impl Iterator<Item = Setup> {
    let on = || forgetful(Setup::on(Site::Telegram));
    [Some(on()), on().postgres()].into_iter().flatten()
}

/// The APIs of so many processes, in the order in which they began to serve.
async fn watches(bot: &Bot, count: usize) -> Vec<Watch> {
    bot.has_logged("serving the API", count).await;
    let log = bot.log_text();
    let lines = log.lines().filter(|line| line.contains("serving the API"));
    lines.map(Watch::at).collect()
}

#[tokio::test]
async fn a_run_that_was_kept_for_long_enough_is_deleted_and_the_upkeep_is_told_of() {
    for setup in both() {
        let mut bot = setup.start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.says(room, "hello");
        bot.answers(room, 1).await;
        bot.until("the run to be deleted", async |look| {
            (look.count("runs").await == 0).then_some(())
        })
        .await;
        bot.until("two sweeps", async |look| (look.number(RUNS).await >= 2).then_some(()))
            .await;
        let (status, checks) = Watch::on(&bot).ready().await;
        assert_eq!(status, 200, "{checks}");
        assert_eq!(checks["maintenance"]["detail"], "no maintenance job fails");
        assert!(bot.doctor().await.contains("no maintenance job fails"));
        let look = bot.look().await;
        bot.finish().await;
        let left = "SELECT COUNT(*) FROM maintenance_jobs WHERE lease_owner IS NOT NULL OR failures > 0";
        assert_eq!(look.number(left).await, 0, "{}", look.dump().await);
    }
}

#[tokio::test]
async fn a_run_outlives_its_steps_and_the_bot_says_that_they_are_gone() {
    let on = || watched(Setup::on(Site::Telegram)).set("retention.steps_days", 0.00001);
    for setup in [Some(on()), on().postgres()].into_iter().flatten() {
        let mut bot = setup.start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.says(room, "hello");
        bot.answers(room, 1).await;
        bot.until("the steps to be deleted", async |look| {
            (look.count("run_steps").await == 1).then_some(())
        })
        .await;
        bot.says(room, "/why");
        let told = bot.answers(room, 2).await;
        assert!(told[1].contains("its steps were deleted"), "{told:?}");
        let look = bot.look().await;
        assert_eq!(look.count("runs").await, 1);
        let answered = "SELECT COUNT(*) FROM runs WHERE status = 'completed' AND output_text IS NOT NULL";
        assert_eq!(look.number(answered).await, 1, "{}", look.dump().await);
        bot.finish().await;
    }
}

#[tokio::test]
async fn of_two_processes_one_does_each_job_and_the_other_goes_on_when_that_one_dies() {
    let Some(setup) = forgetful(Setup::on(Site::Telegram)).postgres() else {
        return;
    };
    let mut bot = setup.start().await;
    bot.spawn(None);
    let watches = watches(&bot, 2).await;
    bot.until("some sweeps", async |look| (look.number(RUNS).await >= 5).then_some(()))
        .await;
    // Each sweep was one process's: all that they counted is what the row counts, whoever it was.
    let done = named("clifford_jobs_total", &[("kind", "retention"), ("outcome", "done")]);
    let look = bot.look().await;
    let before = look.number(RUNS).await;
    let mut counted = 0.0;
    for watch in &watches {
        counted += watch.samples().await[&done];
    }
    // A sweep is counted right before it is recorded.
    let after = look.number(RUNS).await + 1;
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let range = before as f64..=after as f64;
    assert!(range.contains(&counted), "{counted} is not in {range:?}");

    bot.kill().await;
    let killed = look.number(RUNS).await;
    bot.until("the other one's sweeps", async |look| {
        (look.number(RUNS).await >= killed + 3).then_some(())
    })
    .await;
    bot.finish().await;
}

#[tokio::test]
async fn a_job_that_a_process_died_of_is_put_off_and_named_with_the_reason() {
    for setup in both() {
        let mut bot = setup.env(VARIABLE, "job=retention").prepare().await;
        bot.spawn(None);
        bot.exited().await;
        bot.unset(VARIABLE);
        bot.start().await;
        bot.has_logged("maintenance job failed, retrying later", 1).await;
        let failures = "SELECT failures_in_a_row FROM maintenance_jobs WHERE name = 'retention'";
        bot.until("the failure to be recorded", async |look| {
            (look.number(failures).await == 1).then_some(())
        })
        .await;
        let (status, checks) = Watch::on(&bot).ready().await;
        assert_eq!(status, 200, "the bot works on: {checks}");
        assert_eq!(checks["maintenance"]["ok"], false);
        let told = checks["maintenance"]["detail"].as_str().unwrap();
        assert!(told.starts_with("retention failed once, last at "), "{told}");
        assert!(
            told.ends_with(": the process that did it last died before it ended"),
            "{told}"
        );
        let doctor = bot.doctor().await;
        assert!(doctor.contains("warn  upkeep    retention failed once"), "{doctor}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_shorter_retention_applies_as_soon_as_the_settings_are_read_again() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    // The sweep is due in five minutes, for runs that are kept for months.
    bot.until("the sweep to be planned", async |look| {
        let planned = "SELECT COUNT(*) FROM maintenance_jobs WHERE name = 'retention'";
        (look.number(planned).await == 1).then_some(())
    })
    .await;
    bot.configure("retention.runs_days", 0.00001);
    bot.reload().await;
    bot.until("the run to be deleted", async |look| {
        (look.count("runs").await == 0).then_some(())
    })
    .await;
    bot.finish().await;
}
