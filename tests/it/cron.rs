//! A run that sleeps by a cron expression, over a `kill -9` while it waits and one over the due time.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use clifford_core::{
    clock::Timestamp,
    run::step::{Event, StepKind},
};
use clifford_fakes::openai::{RecordedRequest, Reply};
use clifford_store::{runs::steps, triggers};
use serde_json::json;

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Setup, Site},
};

const FIRST: &str = "The kettle is on.";
const SECOND: &str = "Tea is ready, mind the hot cup.";
/// Far enough away for a process to be killed before it.
const UNTIL_FIRST: Duration = Duration::from_secs(6);
/// Far enough away for a process to start, to wake the run and to be killed before it.
const BETWEEN: Duration = Duration::from_secs(12);
/// How late a firing may be that nobody kept from being on time: the machine may be busy.
const LATE: Duration = Duration::from_secs(10);

/// The two due times, and the expression of both.
#[derive(Debug)]
struct Plan {
    due: [Timestamp; 2],
    cron: String,
}

impl Plan {
    fn from_now() -> Self {
        let now = now();
        let first = Timestamp(now.after(UNTIL_FIRST).0 / 1000 * 1000);
        let due = [first, first.after(BETWEEN)];
        let second = |at: Timestamp| at.0 / 1000 % 60;
        let cron = format!("{},{} * * * * *", second(due[0]), second(due[1]));
        Self { due, cron }
    }
}

fn now() -> Timestamp {
    jiff::Timestamp::now().into()
}

/// Calculates, sleeps, says something, sleeps again by the same expression, and ends.
fn reply(plan: &OnceLock<Plan>, request: &RecordedRequest) -> Reply {
    let turns = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "assistant");
    let notes = json!([
        {"category": "requirements", "content": "two calls"},
        {"category": "plan", "content": "sleep by the clock"},
    ]);
    let sleep = || json!({"type": "sleep", "cron": plan.get_or_init(Plan::from_now).cron, "reason": "the kettle"});
    Reply::json(&match turns.count() {
        0 => json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": "6 * 7"}, "notes": notes}),
        1 | 3 => sleep(),
        2 => json!({"type": "send_message", "message": FIRST}),
        _ => json!({"type": "finish", "output": SECOND}),
    })
}

/// When the run wakes, by its row and by its trigger, which must agree; nothing while it does not wait.
async fn sleeps_until(look: &DbProbe) -> Option<Timestamp> {
    let runs = look.runs().await;
    let run = runs.first().filter(|run| run.status.as_str() == "waiting")?;
    let trigger = triggers::of_run(&mut look.db.read().await.unwrap(), run.id)
        .await
        .unwrap();
    assert_eq!(trigger.and_then(|trigger| trigger.next_at), run.wake_at);
    run.wake_at
}

/// When the run woke.
async fn wakes(look: &DbProbe) -> Vec<Timestamp> {
    let run = look.run().await.id;
    let steps = steps::of_run(&mut look.db.read().await.unwrap(), run).await.unwrap();
    let woke = steps
        .iter()
        .filter(|step| matches!(step.kind, StepKind::Event(Event::Wake { .. })));
    woke.map(|step| step.at).collect()
}

async fn fires_once_each(setup: Setup, processes: usize) {
    let plan = Arc::new(OnceLock::new());
    let mut bot: Bot = setup.start().await;
    let script = Arc::clone(&plan);
    bot.model.respond_with(move |request| reply(&script, request));
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "remind me");

    let until = bot.until("the first sleep", sleeps_until).await;
    bot.kill().await;
    let due = plan.get().unwrap().due;
    assert_eq!(until, due[0]);
    let look = bot.look().await;
    assert_eq!(
        (sleeps_until(&look).await, look.count("trigger_firings").await),
        (Some(due[0]), 0),
        "it was killed too late"
    );
    for _ in 0..processes {
        bot.spawn(None);
    }
    assert_eq!(bot.answers(room, 1).await, [FIRST]);

    // The next due time comes while nobody is there. The message is marked as delivered first: killed before that,
    // the bot would send it again.
    let until = bot
        .until("the second sleep", async |look| {
            let until = sleeps_until(look).await?;
            (look.undelivered().await == 0).then_some(until)
        })
        .await;
    for _ in 0..processes {
        bot.kill().await;
    }
    assert_eq!(until, due[1]);
    assert_eq!(
        (sleeps_until(&look).await, look.count("trigger_firings").await),
        (Some(due[1]), 1)
    );
    bot.until("the due time", async |_| (now() > due[1]).then_some(()))
        .await;
    for _ in 0..processes {
        bot.spawn(None);
    }
    bot.until("the run's end and its delivery", async |look| {
        let ended = look.run().await.status.is_ended();
        (ended && look.undelivered().await == 0).then_some(())
    })
    .await;
    bot.finish().await;

    assert_eq!(bot.texts(room), [FIRST, SECOND]);
    let woke = wakes(&look).await;
    assert_eq!(woke.len(), 2, "{woke:?}");
    assert!(woke[0] >= due[0] && woke[0] < due[0].after(LATE), "{woke:?} {due:?}");
    assert!(woke[1] >= due[1], "{woke:?} {due:?}");
    assert_eq!(bot.model.request_count(), 5);
    assert_eq!(look.count("triggers").await, 0, "a trigger ends with its run");
}

#[tokio::test]
async fn a_cron_sleep_fires_each_time_once_over_two_kills_on_sqlite() {
    fires_once_each(Setup::on(Site::Telegram), 1).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_cron_sleep_fires_each_time_once_over_two_kills_of_two_processes_on_postgresql() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        fires_once_each(setup, 2).await;
    }
}

#[tokio::test]
async fn a_run_makes_the_same_call_after_every_wake() {
    const LOOKS: usize = 4;
    let mut bot = Setup::on(Site::Telegram)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    bot.model.respond_with(|request| {
        let messages = request.messages().iter();
        let turns = messages.filter(|message| message["role"] == "assistant").count();
        Reply::json(&match turns {
            turns if turns % 2 == 0 => {
                json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": "6 * 7"}})
            }
            turns if turns < 2 * LOOKS - 1 => json!({"type": "sleep", "cron": "* * * * * *", "reason": "look again"}),
            _ => json!({"type": "finish", "output": SECOND}),
        })
    });
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "look each second");
    assert_eq!(bot.answers(room, 1).await, [SECOND]);
    bot.finish().await;
    let look = bot.look().await;
    assert_eq!(look.run().await.status.as_str(), "completed");
    assert_eq!(wakes(&look).await.len(), LOOKS - 1);
    assert_eq!(bot.model.request_count(), 2 * LOOKS);
}
