//! A run once more from one of its steps on: the model is asked, and nothing else happens. Through the API of the real
//! binary, on both engines.

use clifford_core::messages::Direction;
use clifford_fakes::openai::{RecordedRequest, Reply};
use clifford_store::usage::{self, Filter};
use serde_json::{Value, json};

use crate::{
    api_watch::{Watch, watched},
    db_probe::DbProbe,
    harness::{Bot, PATIENCE, Room, Setup, Site},
    scripted_model,
};

/// The tables that a rerun must leave alone.
const KEPT: [&str; 9] = [
    "runs",
    "run_steps",
    "messages",
    "message_parts",
    "memory_items",
    "triggers",
    "jobs",
    "files",
    "contexts",
];

fn setup() -> Setup {
    let other: toml::Table = "name = 'other'\nmodel = 'fake-2'".parse().unwrap();
    watched(Setup::on(Site::Telegram))
        .set("engine.planning_gate", "off")
        .set("llm.choices", vec![toml::Value::from(other)])
}

/// A bot after an answer that took two calls, a message and two subagents.
async fn answered(setup: Setup) -> (Bot, Room) {
    let bot = setup.start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "everything");
    bot.until("the answer", async |look| {
        let runs = look.runs().await;
        let is_over = runs.len() == 3 && runs.iter().all(|run| run.status.is_ended());
        (is_over && look.undelivered().await == 0).then_some(())
    })
    .await;
    (bot, room)
}

/// How much is kept, and what the person has read.
async fn kept(bot: &Bot, room: Room) -> (Vec<i64>, Vec<String>) {
    let look = bot.look().await;
    let mut counts = Vec::new();
    for table in KEPT {
        counts.push(look.count(table).await);
    }
    let sent = look.messages(Direction::Outbound).await.into_iter();
    counts.push(i64::try_from(sent.count()).unwrap());
    (counts, bot.texts(room))
}

async fn coordinator(look: &DbProbe) -> String {
    look.runs().await[0].id.to_string()
}

async fn rerun(bot: &Bot, change: &Value) -> Value {
    let id = coordinator(&bot.look().await).await;
    let (status, text) = Watch::on(bot)
        .post(&format!("/api/runs/{id}/rerun"), change.to_string())
        .await;
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// The differences: the type of each step, the outcome of its effect, and its words.
fn differences(rerun: &Value) -> Vec<(String, Value, Value)> {
    let steps = rerun["steps"].as_array().unwrap().iter();
    steps
        .filter(|pair| pair["same"] == false && !pair["right"].is_null())
        .filter(|pair| pair["right"]["resultJson"]["event"] != "llm_response")
        .map(|pair| {
            let right = &pair["right"];
            let kind = right["type"].as_str().unwrap().to_owned();
            (kind, pair["effect"]["is"].clone(), right["argsJson"].clone())
        })
        .collect()
}

async fn the_same_replies_lead_to_the_same_and_to_nothing_else(setup: Setup) {
    let (mut bot, room) = answered(setup).await;
    let before = kept(&bot, room).await;
    let asked = bot.model.request_count();
    let whole = rerun(&bot, &json!({})).await;
    assert_eq!(whole["end"], json!({ "is": "finished" }), "{whole:#}");
    assert!(differences(&whole).is_empty(), "{whole:#}");
    assert_eq!((&whole["from"], &whole["spent"]["calls"]), (&json!(1), &json!(6)));
    assert_eq!(bot.model.request_count(), asked + 6);
    let steps = whole["steps"].as_array().unwrap();
    let effects: Vec<_> = steps.iter().map(|pair| &pair["effect"]["is"]).collect();
    assert!(
        effects.iter().all(|is| is.is_null() || **is == "recorded"),
        "{effects:?}"
    );
    // From the last question on.
    let last = steps
        .iter()
        .rev()
        .find(|pair| pair["left"]["resultJson"]["event"] == "llm_request");
    let seq = &last.unwrap()["left"]["seq"];
    let rest = rerun(&bot, &json!({ "from": seq })).await;
    assert_eq!((&rest["from"], &rest["spent"]["calls"]), (seq, &json!(1)), "{rest:#}");
    assert!(differences(&rest).is_empty(), "{rest:#}");
    assert_eq!(kept(&bot, room).await, before);
    bot.finish().await;
}

#[tokio::test]
async fn the_same_replies_lead_to_the_same_and_to_nothing_else_on_sqlite() {
    the_same_replies_lead_to_the_same_and_to_nothing_else(setup()).await;
}

#[tokio::test]
async fn the_same_replies_lead_to_the_same_and_to_nothing_else_on_postgres() {
    if let Some(setup) = setup().postgres() {
        the_same_replies_lead_to_the_same_and_to_nothing_else(setup).await;
    }
}

/// Another model: it keeps something else, says something else, or asks other helpers.
fn another(request: &RecordedRequest, word: &str) -> Reply {
    if request.model() != "fake-2" {
        return scripted_model::reply(request);
    }
    let put = |value: &str| {
        json!({"type": "tool_call", "name": "memory.put",
            "args": {"module": "preferences", "key": "drink", "value": value}})
    };
    let action = match word {
        "keep" => put("coffee"),
        "say" => json!({"type": "send_message", "message": "Something else."}),
        "spawn" => json!({"type": "spawn_subagent", "subagent": {"task": "helper three"}}),
        _ => json!({"type": "sleep", "delay_seconds": 600}),
    };
    Reply::json(&action)
}

async fn what_another_model_would_do_is_shown_and_not_done(setup: Setup) {
    let (mut bot, room) = answered(setup).await;
    let before = kept(&bot, room).await;
    let cases = [
        ("keep", "tool_call", "would_have"),
        ("say", "assistant_message", "finished"),
        ("spawn", "message", "would_have"),
        ("wait", "message", "would_have"),
    ];
    for (word, kind, end) in cases {
        bot.model.respond_with(move |request| another(request, word));
        // From the question on that came before the recorded call.
        let told = rerun(&bot, &json!({ "from": 2, "model": "other" })).await;
        assert_eq!(told["end"]["is"], end, "{word}: {told:#}");
        let different = differences(&told);
        let (found, effect, _) = different.iter().find(|(found, ..)| found == kind).unwrap();
        assert_eq!((found.as_str(), effect), (kind, &json!("would_have")), "{told:#}");
        assert_eq!(told["spent"]["models"], json!(["fake/fake-2"]), "{word}");
        assert_eq!(kept(&bot, room).await, before, "{word}");
    }
    // A reply that was given is asked of no model.
    let asked = bot.model.request_count();
    let given = json!({ "type": "send_message", "message": "Given." }).to_string();
    let told = rerun(&bot, &json!({ "reply": given })).await;
    assert_eq!(
        (&told["spent"]["calls"], &told["end"]["is"]),
        (&json!(0), &json!("finished"))
    );
    assert_eq!(bot.model.request_count(), asked);
    // Nobody else's model, and nothing that is no model.
    let id = coordinator(&bot.look().await).await;
    let (status, text) = Watch::on(&bot)
        .post(
            &format!("/api/runs/{id}/rerun"),
            json!({ "model": "nobody" }).to_string(),
        )
        .await;
    assert_eq!(status, 422, "{text}");
    assert!(text.contains("there is fake-1, other"), "{text}");
    assert_eq!(kept(&bot, room).await, before);
    bot.finish().await;
}

#[tokio::test]
async fn what_another_model_would_do_is_shown_and_not_done_on_sqlite() {
    what_another_model_would_do_is_shown_and_not_done(setup()).await;
}

#[tokio::test]
async fn what_another_model_would_do_is_shown_and_not_done_on_postgres() {
    if let Some(setup) = setup().postgres() {
        what_another_model_would_do_is_shown_and_not_done(setup).await;
    }
}

/// Spending in all, and by runs.
async fn spent(bot: &Bot) -> (i64, i64) {
    let look = bot.look().await;
    let all = usage::total(&mut look.db.read().await.unwrap(), Filter::default()).await;
    let of_runs = look.number("SELECT COUNT(*) FROM usage WHERE run_id IS NOT NULL").await;
    (all.unwrap().calls, of_runs)
}

async fn a_process_that_dies_during_a_rerun_leaves_everything_as_it_was(setup: Setup) {
    let mut budget = toml::Table::new();
    budget.insert("scope".to_owned(), "bot".into());
    budget.insert("period".to_owned(), "day".into());
    budget.insert("tokens".to_owned(), 10_000_000.into());
    let setup = setup.set("budgets", toml::Value::Array(vec![budget.into()]));
    let (mut bot, room) = answered(setup).await;
    let (before, (calls, of_runs)) = (kept(&bot, room).await, spent(&bot).await);
    let asked = bot.model.request_count();
    let hold = bot.model.hold();
    let id = coordinator(&bot.look().await).await;
    let watch = Watch::on(&bot);
    let path = format!("/api/runs/{id}/rerun");
    let asking = async { tokio::time::timeout(PATIENCE, watch.attempt(&path, "{}")).await };
    let killing = async {
        bot.model.wait_for_requests(asked + 1).await;
        // Its reservation counts while it is at work.
        assert_eq!(bot.look().await.count("budget_reservations").await, 1);
        bot.kill().await;
    };
    let (answer, ()) = tokio::join!(asking, killing);
    assert!(answer.unwrap().is_none(), "nobody answers any more");
    hold.release();
    bot.start().await;
    assert_eq!(kept(&bot, room).await, before);
    assert_eq!(spent(&bot).await, (calls, of_runs));
    // Those after it are told, charged to no run, and leave no reservation.
    let again = rerun(&bot, &json!({})).await;
    assert_eq!(again["end"]["is"], "finished", "{again:#}");
    assert_eq!(spent(&bot).await, (calls + 6, of_runs));
    // That of the dead process counts no longer than its lease.
    assert!(bot.look().await.count("budget_reservations").await <= 1);
    assert_eq!(kept(&bot, room).await, before);
    bot.finish().await;
}

#[tokio::test]
async fn a_process_that_dies_during_a_rerun_leaves_everything_as_it_was_on_sqlite() {
    a_process_that_dies_during_a_rerun_leaves_everything_as_it_was(setup()).await;
}

#[tokio::test]
async fn a_process_that_dies_during_a_rerun_leaves_everything_as_it_was_on_postgres() {
    if let Some(setup) = setup().postgres() {
        a_process_that_dies_during_a_rerun_leaves_everything_as_it_was(setup).await;
    }
}

#[tokio::test]
async fn a_caller_who_hangs_up_stops_the_rerun_and_pays_for_what_was_asked() {
    let (mut bot, room) = answered(setup()).await;
    let (before, (calls, of_runs)) = (kept(&bot, room).await, spent(&bot).await);
    let asked = bot.model.request_count();
    let hold = bot.model.hold();
    let id = coordinator(&bot.look().await).await;
    let watch = Watch::on(&bot);
    let path = format!("/api/runs/{id}/rerun");
    tokio::select! {
        answer = watch.attempt(&path, "{}") => panic!("{answer:?}"),
        _ = bot.model.wait_for_requests(asked + 1) => {}
    }
    bot.until("the charge", async |_| {
        (spent(&bot).await == (calls + 1, of_runs)).then_some(())
    })
    .await;
    bot.until("the end of its lease", async |look| {
        let held = look
            .number("SELECT COUNT(*) FROM leases WHERE name LIKE 'rerun:%'")
            .await;
        (held == 0).then_some(())
    })
    .await;
    hold.release();
    assert_eq!(kept(&bot, room).await, before);
    bot.finish().await;
}

#[tokio::test]
async fn two_runs_stand_side_by_side() {
    let (mut bot, room) = answered(setup()).await;
    bot.says(room, "hello");
    bot.until("the second answer", async |look| {
        let runs = look.runs().await;
        (runs.len() == 4 && runs[3].status.is_ended()).then_some(())
    })
    .await;
    let runs = bot.look().await.runs().await;
    let path = format!("/api/runs/{}/compare?with={}", runs[0].id, runs[3].id);
    let (status, text) = Watch::on(&bot).get(&path).await;
    assert_eq!(status, 200, "{text}");
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told["left"]["inputText"], "everything");
    assert_eq!(told["right"]["inputText"], "hello");
    let steps = told["steps"].as_array().unwrap();
    assert_eq!(steps[0]["left"]["resultJson"]["event"], "llm_request");
    assert!(steps.iter().any(|pair| pair["right"].is_null()), "{told:#}");
    bot.finish().await;
}
