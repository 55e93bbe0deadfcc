//! Subagents: at work at the same time, by profile, and through `kill -9`.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use clifford_core::runs::{RunKind, RunStatus};
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model,
};

const TASKS: [&str; 3] = ["read about oak", "read about ash", "read about elm"];

/// A model that has three helpers compare. A helper is answered only once all of them have asked: so each was at work
/// while the others were.
#[derive(Clone, Default)]
struct Comparison {
    asked: Arc<Mutex<BTreeSet<String>>>,
    /// Nobody is answered before this, whoever has asked.
    shut: Arc<Mutex<bool>>,
}

impl Comparison {
    fn reply(&self, request: &RecordedRequest) -> Reply {
        if let Some(memory) = scripted_model::memory(request) {
            return Reply::json(&memory);
        }
        let input = scripted_model::Prompt::read(request).input().to_owned();
        if TASKS.contains(&input.as_str()) {
            self.asked.lock().unwrap().insert(input.clone());
            let waits = self.asked.lock().unwrap().len() < TASKS.len() || *self.shut.lock().unwrap();
            return match waits {
                true => Reply::status(503, "the others have not asked yet"),
                false => Reply::json(&json!({"type": "finish", "output": format!("{input}: done")})),
            };
        }
        // Messages between two replies are one message.
        let texts: Vec<_> = (request.messages().iter())
            .filter_map(|message| message["content"].as_str())
            .filter(|text| text.contains(r#""subagents""#))
            .collect();
        let has_ended = |task: &&&str| texts.iter().any(|text| text.contains(&format!("{task}: done")));
        let ended = TASKS.iter().filter(has_ended).count();
        if ended == TASKS.len() {
            return Reply::json(&planned(
                json!({"type": "finish", "output": "Oak, ash and elm are trees."}),
            ));
        }
        let subagents = TASKS.map(|task| json!({"task": task, "profile": "reader"}));
        Reply::json(&planned(json!({"type": "spawn_subagents", "subagents": subagents})))
    }

    fn all_asked(&self) -> bool {
        self.asked.lock().unwrap().len() == TASKS.len()
    }
}

fn planned(mut action: Value) -> Value {
    action["notes"] = json!([
        {"category": "requirements", "content": "a comparison"},
        {"category": "plan", "content": "one reader each"},
    ]);
    action
}

fn setup(site: Site) -> Setup {
    let reader: toml::Table = toml::toml! {
        name = "reader"
        prompt = "You read and tell."
        tools = ["compute"]
        planning_gate = "off"
    };
    Setup::on(site)
        .set("profiles", toml::Value::Array(vec![reader.into()]))
        .set("llm.retries", 20)
}

async fn ended(bot: &Bot) -> Vec<(RunKind, RunStatus)> {
    bot.until("the end of every run", async |look| {
        let runs = look.runs().await;
        let all = runs.len() == 4 && runs.iter().all(|run| run.status.is_ended());
        (all && look.undelivered().await == 0).then(|| runs.iter().map(|run| (run.kind, run.status)).collect())
    })
    .await
}

fn all_completed() -> Vec<(RunKind, RunStatus)> {
    let subagent = (RunKind::Subagent, RunStatus::Completed);
    vec![
        (RunKind::Coordinator, RunStatus::Completed),
        subagent,
        subagent,
        subagent,
    ]
}

#[tokio::test]
async fn a_discord_user_asks_for_a_comparison_and_three_readers_work_at_the_same_time() {
    let mut bot = setup(Site::Discord).prepare().await;
    let comparison = Comparison::default();
    let model = comparison.clone();
    bot.model.respond_with(move |request| model.reply(request));
    bot.start().await;
    let room = bot.room(Site::Discord, 7, "Ada");
    bot.says(room, "compare oak, ash and elm");
    assert_eq!(bot.answers(room, 1).await, ["Oak, ash and elm are trees."]);
    assert_eq!(ended(&bot).await, all_completed());
    bot.finish().await;

    let look = bot.look().await;
    let runs = look.runs().await;
    assert_eq!(runs[0].llm_calls, 2);
    let readers: Vec<_> = runs[1..]
        .iter()
        .map(|run| (run.profile.as_deref(), run.llm_calls))
        .collect();
    assert_eq!(readers, [(Some("reader"), 1); 3]);
    let steps = look.steps(runs[0].id).await;
    assert_eq!(steps.iter().filter(|step| *step == "wake").count(), 1, "{steps:?}");
    for request in bot.model.requests() {
        let of_reader = request.text(0).starts_with("You read and tell.");
        let input = scripted_model::Prompt::read(&request).input().to_owned();
        assert_eq!(of_reader, TASKS.contains(&input.as_str()), "{input}");
        assert_eq!(
            of_reader,
            !request.text(0).contains("- memory ("),
            "{}",
            request.text(0)
        );
    }
}

async fn killed_while_its_readers_work(setup: Setup) {
    let mut bot = setup.prepare().await;
    let comparison = Comparison::default();
    *comparison.shut.lock().unwrap() = true;
    let model = comparison.clone();
    bot.model.respond_with(move |request| model.reply(request));
    bot.start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "compare oak, ash and elm");
    bot.until("all readers at work", async |_| comparison.all_asked().then_some(()))
        .await;
    bot.kill().await;
    *comparison.shut.lock().unwrap() = false;
    bot.spawn(None);
    assert_eq!(ended(&bot).await, all_completed());
    bot.finish().await;
    assert_eq!(bot.texts(room), ["Oak, ash and elm are trees."]);
    let look = bot.look().await;
    let steps = look.steps(look.runs().await[0].id).await;
    assert_eq!(
        steps,
        [
            "llm_request",
            "llm_response",
            "note",
            "note",
            "spawn_subagents",
            "subagent_ended",
            "subagent_ended",
            "subagent_ended",
            "wake",
            "llm_request",
            "llm_response",
            "note",
            "note",
            "finish",
        ]
    );
}

#[tokio::test]
async fn a_run_that_is_killed_while_its_subagents_work_wakes_once_on_sqlite() {
    killed_while_its_readers_work(setup(Site::Telegram)).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_run_that_is_killed_while_its_subagents_work_wakes_once_on_postgresql() {
    if let Some(setup) = setup(Site::Telegram).postgres() {
        killed_while_its_readers_work(setup).await;
    }
}

/// A run that is woken by the first of two helpers, calculates, and ends. The slow one is never answered.
fn first_of_two(request: &RecordedRequest, slow_asked: &Mutex<bool>) -> Reply {
    if let Some(memory) = scripted_model::memory(request) {
        return Reply::json(&memory);
    }
    let told = |name: &str| {
        let entry = format!("{{\"{name}\"");
        let mut texts = request
            .messages()
            .iter()
            .filter_map(|message| message["content"].as_str());
        texts.any(|text| text.starts_with(&entry))
    };
    Reply::json(&match scripted_model::Prompt::read(request).input() {
        "be slow" => {
            *slow_asked.lock().unwrap() = true;
            return Reply::never();
        }
        "be quick" if !*slow_asked.lock().unwrap() => return Reply::status(503, "the other has not asked yet"),
        "be quick" => json!({"type": "finish", "output": "quick is done"}),
        _ if told("tool_result") => json!({"type": "finish", "output": "The quick one was first."}),
        _ if told("subagents") => json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": "6 * 7"}}),
        _ => json!({
            "type": "spawn_subagents", "subagents": [{"task": "be slow"}, {"task": "be quick"}], "wake_on": "first",
        }),
    })
}

#[tokio::test]
async fn a_run_that_waits_for_the_first_of_its_subagents_goes_on_while_the_other_works() {
    let setup = Setup::on(Site::Telegram)
        .set("engine.planning_gate", "off")
        .set("llm.retries", 20);
    let mut bot = setup.prepare().await;
    let slow_asked = Mutex::default();
    bot.model
        .respond_with(move |request| first_of_two(request, &slow_asked));
    bot.start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "let two try");
    assert_eq!(bot.answers(room, 1).await, ["The quick one was first."]);
    bot.finish().await;

    let look = bot.look().await;
    let runs = look.runs().await;
    let statuses: Vec<_> = runs.iter().map(|run| run.status).collect();
    // A subagent that is not waited for any more works for nobody.
    assert_eq!(
        statuses,
        [RunStatus::Completed, RunStatus::Cancelled, RunStatus::Completed]
    );
    let steps = look.steps(runs[0].id).await;
    let told: Vec<_> = steps.iter().filter(|step| !step.starts_with("llm")).collect();
    assert_eq!(
        told,
        [
            "spawn_subagents",
            "subagent_ended",
            "wake",
            "tool_call",
            "tool_result",
            "finish"
        ]
    );
}

/// A run whose helper has a helper of its own, which digs once it may.
fn of_two_levels(request: &RecordedRequest, digging: &Digging) -> Reply {
    if let Some(memory) = scripted_model::memory(request) {
        return Reply::json(&memory);
    }
    let input = scripted_model::Prompt::read(request).input().to_owned();
    let helped = request
        .messages()
        .iter()
        .filter_map(|message| message["content"].as_str())
        .find(|text| text.starts_with(r#"{"subagents""#));
    let found = helped.map(|text| {
        let entry: Value = serde_json::from_str(text).unwrap();
        entry["subagents"][0]["output"].as_str().unwrap().to_owned()
    });
    Reply::json(&match (input.as_str(), found) {
        ("dig", _) => {
            *digging.begun.lock().unwrap() = true;
            if *digging.shut.lock().unwrap() {
                return Reply::status(503, "not yet");
            }
            json!({"type": "finish", "output": "a bone"})
        }
        ("oversee", Some(found)) => json!({"type": "finish", "output": format!("{found}, cleaned")}),
        ("oversee", None) => json!({"type": "spawn_subagent", "subagent": {"task": "dig"}}),
        (_, Some(found)) => json!({"type": "finish", "output": format!("Here is {found}.")}),
        (_, None) => json!({"type": "spawn_subagent", "subagent": {"task": "oversee"}}),
    })
}

#[derive(Clone, Default)]
struct Digging {
    begun: Arc<Mutex<bool>>,
    shut: Arc<Mutex<bool>>,
}

async fn killed_at_the_second_level(setup: Setup) {
    let setup = setup.set("engine.planning_gate", "off").set("llm.retries", 20);
    let mut bot = setup.prepare().await;
    let digging = Digging::default();
    *digging.shut.lock().unwrap() = true;
    let model = digging.clone();
    bot.model.respond_with(move |request| of_two_levels(request, &model));
    bot.start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "find something");
    bot.until("the second level at work", async |_| {
        digging.begun.lock().unwrap().then_some(())
    })
    .await;
    bot.kill().await;
    *digging.shut.lock().unwrap() = false;
    bot.spawn(None);
    assert_eq!(bot.answers(room, 1).await, ["Here is a bone, cleaned."]);
    bot.finish().await;

    assert_eq!(bot.texts(room).len(), 1);
    let look = bot.look().await;
    let runs = look.runs().await;
    let levels: Vec<_> = runs.iter().map(|run| (run.level, run.status)).collect();
    assert_eq!(levels, [0, 1, 2].map(|level| (level, RunStatus::Completed)));
    for run in &runs[..2] {
        let steps = look.steps(run.id).await;
        let told: Vec<_> = steps.iter().filter(|step| !step.starts_with("llm")).collect();
        assert_eq!(told, ["spawn_subagents", "subagent_ended", "wake", "finish"]);
    }
    assert_eq!(look.steps(runs[2].id).await.last().unwrap(), "finish");
}

#[tokio::test]
async fn a_subagent_of_a_subagent_survives_a_kill_on_sqlite() {
    killed_at_the_second_level(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_subagent_of_a_subagent_survives_a_kill_on_postgresql() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        killed_at_the_second_level(setup).await;
    }
}

/// A run that asks once for these helpers, and ends with what it is told of that.
fn asks_for(subagents: Value, told: &Arc<Mutex<String>>) -> impl Fn(&RecordedRequest) -> Reply + Send + Sync + 'static {
    let told = Arc::clone(told);
    move |request| {
        if let Some(memory) = scripted_model::memory(request) {
            return Reply::json(&memory);
        }
        if scripted_model::Prompt::read(request).input().starts_with("help:") {
            return Reply::json(&json!({"type": "finish", "output": "helped"}));
        }
        let messages = request.messages();
        let mut texts = messages.iter().filter_map(|message| message["content"].as_str());
        let entry = texts.find(|text| text.starts_with(r#"{"system_note""#) || text.starts_with(r#"{"subagents""#));
        Reply::json(&match entry {
            Some(entry) => {
                entry.clone_into(&mut told.lock().unwrap());
                json!({"type": "finish", "output": "All is said."})
            }
            None => json!({"type": "spawn_subagents", "subagents": subagents}),
        })
    }
}

/// What a run is told of the helpers that it asks for, and how many runs there are then.
async fn told_of(setup: Setup, subagents: Value) -> (String, usize) {
    let mut bot = setup.set("engine.planning_gate", "off").prepare().await;
    let told = Arc::default();
    bot.model.respond_with(asks_for(subagents, &told));
    bot.start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "get help");
    assert_eq!(bot.answers(room, 1).await, ["All is said."]);
    bot.finish().await;
    let runs = bot.look().await.runs().await.len();
    let told = told.lock().unwrap().clone();
    (told, runs)
}

#[tokio::test]
async fn helpers_come_back_by_their_names_and_those_that_could_not_work_are_refused() {
    let many = |number: usize| -> Value { (0..number).map(|at| json!({"task": format!("help: {at}")})).collect() };
    let named = json!([{"id": "weather", "task": "help: a"}, {"id": "news", "task": "help: b", "tools": ["compute"]}]);
    let unknown = json!([{"task": "help: a", "tools": ["Compute.eval", "calculator", "compute.eval"]}]);
    let telegram = || Setup::on(Site::Telegram);
    let table = [
        (telegram(), named, "\"id\":\"weather\"", 3),
        (
            telegram(),
            unknown,
            "tools names what does not exist: `Compute.eval`, `calculator`.",
            1,
        ),
        (
            telegram().set("engine.max_subagents", 3),
            many(4),
            "at most 3 subagents for one message, with those of subagents; 3 are left.",
            1,
        ),
        (
            telegram().set("engine.max_run_tokens", 12_000),
            many(30),
            "and a first call needs",
            1,
        ),
    ];
    for (setup, subagents, expected, runs) in table {
        let told = told_of(setup, subagents).await;
        assert!(told.0.contains(expected), "{}", told.0);
        assert_eq!(told.1, runs, "{}", told.0);
    }
}

async fn too_large_a_tree(setup: Setup) {
    let helpers = json!([{"task": "help: a"}, {"task": "help: b"}]);
    let (told, runs) = told_of(setup.set("engine.max_subagents", 1), helpers).await;
    assert!(told.contains("at most 1 subagents for one message"), "{told}");
    assert_eq!(runs, 1);
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_tree_has_so_many_subagents_at_most_on_postgresql() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        too_large_a_tree(setup).await;
    }
}
