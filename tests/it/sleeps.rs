//! Runs that sleep, and wake in another process.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    messages::Direction,
    run::step::{Event, StepKind},
};
use clifford_fakes::{
    discord::{Fault, Route},
    openai::{RecordedRequest, Reply},
};
use clifford_store::runs::steps;
use serde_json::json;

use crate::{
    harness::{Setup, Site},
    scripted_model::Prompt,
};

#[tokio::test]
async fn a_run_that_slept_over_a_restart_knows_what_it_did_and_wakes_once() {
    let setups = [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()];
    for setup in setups.into_iter().flatten() {
        let mut bot = setup.start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.says(room, "nap");
        bot.until("the run to sleep", async |look| {
            let runs = look.runs().await;
            runs.first().filter(|run| run.status.as_str() == "waiting").map(|_| ())
        })
        .await;
        bot.kill().await;
        bot.spawn(None);
        assert_eq!(bot.answers(room, 1).await, ["I am awake."]);
        bot.finish().await;

        assert_eq!(bot.texts(room), ["I am awake."]);
        let look = bot.look().await;
        let run = look.run().await;
        let steps = look.steps(run.id).await;
        assert_eq!(
            steps,
            [
                "llm_request",
                "llm_response",
                "note",
                "note",
                "tool_call",
                "tool_result",
                "llm_request",
                "llm_response",
                "sleep",
                "wake",
                "llm_request",
                "llm_response",
                "finish",
            ]
        );
        let requests = bot.model.requests();
        assert_eq!(requests.len(), 3);
        let prompts: Vec<_> = requests.iter().map(|request| request.messages().to_vec()).collect();
        // Each prompt begins with the one before: over a restart too.
        assert_eq!(prompts[1][..prompts[0].len()], prompts[0][..]);
        assert_eq!(prompts[2][..prompts[1].len()], prompts[1][..]);
        let last = requests[2].body.to_string();
        for known in ["one step after the other", "6 * 7", "42", "a nap"] {
            assert!(last.contains(known), "{known} is missing in {last}");
        }
    }
}

#[tokio::test]
async fn a_sleeping_run_holds_up_nobody() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "nap");
    bot.until("the run to sleep", async |look| {
        let runs = look.runs().await;
        runs.first().filter(|run| run.status.as_str() == "waiting").map(|_| ())
    })
    .await;
    bot.says(room, "hello");
    let mut texts = bot.answers(room, 2).await;
    texts.sort();
    assert_eq!(texts, ["I am awake.", "You said: hello"]);
    bot.finish().await;
}

#[tokio::test]
async fn what_came_while_a_run_worked_is_answered_while_it_sleeps() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    let held = bot.model.hold();
    bot.says(room, "nap");
    bot.model.wait_for_requests(1).await;
    bot.says(room, "hello");
    bot.until("the message to wait", async |look| {
        let messages = look.messages(Direction::Inbound).await;
        messages
            .iter()
            .any(|message| message.status.as_str() == "queued")
            .then_some(())
    })
    .await;
    held.release();
    let mut texts = bot.answers(room, 2).await;
    texts.sort();
    assert_eq!(texts, ["I am awake.", "You said: hello"]);
    bot.finish().await;
}

/// Sleeps for so many seconds, or until a moment so many seconds ahead, once.
fn sleeper(request: &RecordedRequest) -> Reply {
    if request.messages().len() > 2 {
        return Reply::json(&json!({"type": "finish", "output": "I am awake."}));
    }
    let prompt = Prompt::read(request);
    let (how, seconds) = prompt.input().split_once(' ').unwrap();
    let seconds: u64 = seconds.parse().unwrap();
    let until = Timestamp::from(jiff::Timestamp::now()).after(Duration::from_secs(seconds));
    Reply::json(&match how {
        "for" => json!({"type": "sleep", "delay_seconds": seconds}),
        _ => json!({"type": "sleep", "wake_at": until.to_string()}),
    })
}

#[tokio::test]
async fn a_sleep_ends_in_time_however_its_end_was_said() {
    for how in ["for", "until"] {
        let mut bot = Setup::on(Site::Telegram)
            .set("engine.planning_gate", "off")
            .start()
            .await;
        bot.model.respond_with(sleeper);
        for seconds in 1..=5 {
            let room = bot.room(Site::Telegram, seconds, "Ada");
            bot.says(room, &format!("{how} {seconds}"));
        }
        for seconds in 1..=5 {
            let room = bot.room(Site::Telegram, seconds, "Ada");
            assert_eq!(bot.answers(room, 1).await, ["I am awake."]);
        }
        bot.finish().await;
        let look = bot.look().await;
        let mut late = Vec::new();
        for run in look.runs().await {
            let steps = steps::of_run(&mut look.db.read().await.unwrap(), run.id).await.unwrap();
            let mut until = None;
            for step in steps {
                match step.kind {
                    StepKind::Event(Event::Sleep { wake_at, .. }) => until = Some(wake_at),
                    StepKind::Event(Event::Wake { .. }) => late.push(step.at.0 - until.expect("a sleep before").0),
                    _ => {}
                }
            }
        }
        late.sort_unstable();
        // The machine may be busy now and then, but not always.
        assert_eq!(late.len(), 5);
        assert!(late[0] >= 0 && late[2] <= 250, "{how}: {late:?}");
    }
}

#[tokio::test]
async fn a_command_whose_run_sleeps_does_not_stay_thinking_where_discord_asks_for_patience() {
    let mut bot = Setup::on(Site::Discord)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    bot.model.respond_with(sleeper);
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    let hold = bot.model.hold();
    let asked = bot.discord.interaction(dm, ada, "ask", &[("text", "for 3600")]);
    bot.model.wait_for_requests(1).await;
    for _ in 0..2 {
        let patience = Fault::TooMany {
            retry_after: Duration::from_millis(300),
            global: false,
        };
        bot.discord.fail_next(Route::ReadOriginal, patience);
    }
    hold.release();
    let said = bot.discord.wait_for_replies(asked, 1).await;
    assert_eq!(said[0].content, "\u{23f8}\u{fe0f} No answer for now.");
    assert!(!bot.discord.is_thinking(asked));
    bot.finish().await;
}
