//! SIGTERM while everything hangs: the process ends by itself in its time, nothing is lost, and another process goes on
//! with what it had in flight.

use std::{
    net::{SocketAddr, TcpListener},
    time::{Duration, Instant},
};

use clifford_core::work::JobStatus;
use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::{Chat, Fault},
};
use clifford_store::jobs::{self, Filter};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Room, Setup, Site},
    scripted_model::{self, Prompt, memory_schema},
};

/// A server whose tool never answers, and that does not end when it is told to.
const STUBBORN: &str = concat!(
    "trap '' TERM; sh ",
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fakes/mcp.sh; sleep 600"
);
/// Longer than any test lasts.
const HANGS: Fault = Fault::Slow(Duration::from_secs(3600));
/// How long the process may take to end, and what a busy machine may take beyond that.
const GIVEN: i64 = 4;
const SLACK: Duration = Duration::from_secs(8);
const TOKEN: &str = "clf_a-token-of-this-test";

/// The usual model, which calls the tool that hangs if it is asked to.
fn model(request: &RecordedRequest) -> Reply {
    if memory_schema(request).is_some() || Prompt::read(request).input() != "hang in a tool" {
        return scripted_model::reply(request);
    }
    let called = (request.messages().iter()).any(|message| message["role"] == "assistant");
    Reply::json(&if called {
        json!({ "type": "finish", "output": "the tool is gone" })
    } else {
        json!({ "type": "tool_call", "name": "fake.slow", "args": {}, "notes": [
            { "category": "requirements", "content": "what is asked" },
            { "category": "plan", "content": "call, then tell" },
        ] })
    })
}

impl DbProbe {
    async fn jobs_are_done(&self) -> bool {
        let mut conn = self.db.read().await.unwrap();
        let jobs = jobs::page(&mut conn, &Filter::default(), 100).await.unwrap();
        !jobs.is_empty() && jobs.iter().all(|job| job.status == JobStatus::Done)
    }
}

fn chat_of(room: Room) -> Chat {
    match room {
        Room::Telegram(chat) => chat,
        Room::Discord { .. } => unreachable!("a chat of Telegram"),
    }
}

/// Asks by the API, waits there for the answer, and returns the status and what was said.
fn ask(api: SocketAddr) -> JoinHandle<(u16, Value)> {
    TaskTracker::new().spawn(async move {
        let request = reqwest::Client::new()
            .post(format!("http://{api}/api/messages?wait=300"))
            .bearer_auth(TOKEN)
            .json(&json!({ "content": "by the API" }));
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    })
}

/// Watches a run from now on, and returns the events' names when the stream has ended as it should.
async fn watch(api: SocketAddr, run: &str) -> JoinHandle<Vec<String>> {
    let url = format!("http://{api}/api/runs/{run}/stream");
    let opened = reqwest::Client::new().get(url).bearer_auth(TOKEN).send().await.unwrap();
    TaskTracker::new().spawn(async move {
        let text = opened.text().await.unwrap();
        let names = text.lines().filter_map(|line| line.strip_prefix("event: "));
        names.map(str::to_owned).collect()
    })
}

/// Asks in a chat that nothing can be sent to, until an answer is to be sent.
async fn is_answered_in_vain(bot: &Bot, room: Room) {
    bot.telegram.fail_chat(chat_of(room), Some(HANGS));
    bot.says(room, "hello");
    bot.until("the message to be sent", async |look| {
        (look.undelivered().await == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_stop_ends_in_its_time_whatever_hangs_and_loses_nothing() {
    let on = || Setup::on(Site::Telegram).and(Site::Discord);
    for setup in [Some(on()), on().postgres()].into_iter().flatten() {
        let api = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let server = toml::Table::from_iter([
            ("name".to_owned(), "fake".into()),
            ("command".to_owned(), "sh".into()),
            ("args".to_owned(), vec!["-c", STUBBORN].into()),
        ]);
        let mut bot = setup
            .set("engine.shutdown_seconds", GIVEN)
            .set("http.enabled", true)
            .set("http.bind", api.to_string())
            .set("http.token", TOKEN)
            .set("tools.mcp", toml::Value::Array(vec![server.into()]))
            .start()
            .await;
        bot.model.respond_with(model);
        bot.until("the MCP server", async |_| {
            (bot.logged("MCP server ready") > 0).then_some(())
        })
        .await;
        let [ada, ben, cleo, dan] =
            [(1, "Ada"), (2, "Ben"), (3, "Cleo"), (4, "Dan")].map(|(id, name)| bot.room(Site::Telegram, id, name));

        // A conversation that leaves something behind, a tool that hangs, and a chat that nothing can be sent to.
        bot.says(ada, "remember tea");
        bot.answers(ada, 1).await;
        bot.says(ben, "hang in a tool");
        bot.until("the tool call", async |look| {
            let calls = look.number("SELECT COUNT(*) FROM run_steps WHERE type = 'tool_call'");
            (calls.await == 1).then_some(())
        })
        .await;
        is_answered_in_vain(&bot, cleo).await;

        // From here on the model hangs: under a run, a memory job, an interaction, and callers of the API.
        let before = bot.model.request_count();
        let hold = bot.model.hold();
        bot.says(dan, "hello");
        bot.telegram.command(chat_of(ada), 1, "close", "");
        let eve = bot.discord.user("Eve");
        let dm = bot.discord.dm(eve);
        let asked = bot.discord.interaction(dm, eve, "ask", &[("text", "hello")]);
        let answer = ask(api);
        bot.model.wait_for_requests(before + 4).await;
        let runs = bot.look().await.runs().await;
        let by_api = runs.iter().find(|run| run.input_text == "by the API").unwrap().id;
        let watched = watch(api, &by_api.to_string()).await;
        // And somebody who connects and says nothing.
        let idle = tokio::net::TcpStream::connect(api).await.unwrap();

        let began = Instant::now();
        bot.stop().await;
        let took = began.elapsed();
        assert!(
            took < Duration::from_secs(GIVEN.unsigned_abs()) + SLACK,
            "it took {took:?}\n{}",
            bot.log_text()
        );
        drop(idle);
        let (status, told) = answer.await.unwrap();
        assert_eq!(
            (status, &told["status"], &told["messages"]),
            (202, &json!("running"), &json!([]))
        );
        let seen = watched.await.unwrap();
        assert!(seen.iter().any(|name| name == "status") && seen.iter().all(|name| name != "done"));

        bot.telegram.fail_chat(chat_of(cleo), None);
        bot.configure("tools.mcp", toml::Value::Array(Vec::new()));
        hold.release();
        bot.start().await;
        for room in [ben, cleo, dan] {
            bot.answers(room, 1).await;
        }
        bot.until("every run and job to end", async |look| {
            let ended = look.runs().await.iter().all(|run| run.status.is_ended());
            (ended && look.jobs_are_done().await).then_some(())
        })
        .await;
        bot.finish().await;
        assert_eq!(bot.texts(ben), ["the tool is gone"]);
        for room in [cleo, dan] {
            assert_eq!(bot.texts(room), ["You said: hello"]);
        }
        let replies = bot.discord.interaction_replies(asked);
        let said: Vec<_> = replies.iter().map(|sent| sent.content.as_str()).collect();
        assert_eq!((said, bot.discord.is_thinking(asked)), (vec!["You said: hello"], false));
        let look = bot.look().await;
        let run = look.runs().await.into_iter().find(|run| run.id == by_api).unwrap();
        assert_eq!(run.output_text.as_deref(), Some("You said: by the API"));
    }
}

/// Two processes that share a database, of which the first is connected.
async fn two(setup: Setup) -> Bot {
    let mut bot = setup.start().await;
    bot.model.respond_with(model);
    bot.spawn(None);
    bot.until("the second process", async |_| {
        (bot.logged("another process is connected; standing by") > 0 || bot.logged(" runs.") == 2).then_some(())
    })
    .await;
    bot
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn what_a_process_that_stops_has_in_hand_stays_its_own_until_it_is_done() {
    let Some(setup) = Setup::on(Site::Telegram).postgres() else {
        return;
    };
    let mut bot = two(setup.set("engine.shutdown_seconds", 3600)).await;
    let [ada, ben] = [(1, "Ada"), (2, "Ben")].map(|(id, name)| bot.room(Site::Telegram, id, name));
    // It takes longer than a lease to send this.
    bot.telegram
        .fail_chat(chat_of(ben), Some(Fault::Slow(Duration::from_secs(7))));
    bot.says(ben, "hello");
    bot.until("the message to be sent", async |look| {
        (look.undelivered().await == 1).then_some(())
    })
    .await;
    let hold = bot.model.hold();
    bot.says(ada, "hello");
    bot.model.wait_for_requests(2).await;
    bot.terminate();
    bot.until("the stop", async |_| {
        (bot.logged("stopping, draining") > 0).then_some(())
    })
    .await;
    // Renewed when the lease that it had at the stop would have been over.
    let until = "SELECT lease_until FROM runs WHERE status IN ('pending', 'running')";
    let first = bot.look().await.number(until).await;
    bot.until("a renewed lease", async |look| {
        (look.number(until).await > first + 3_000).then_some(())
    })
    .await;
    hold.release();
    assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
    assert_eq!(bot.answers(ben, 1).await, ["You said: hello"]);
    assert!(bot.exited().await.success());
    bot.finish().await;
    assert_eq!((bot.texts(ada).len(), bot.texts(ben).len()), (1, 1));
    assert_eq!(bot.model.request_count(), 2);
    assert!(bot.look().await.runs().await.iter().all(|run| run.epoch == 1));
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn what_a_process_hands_back_is_taken_over_at_once() {
    let Some(setup) = Setup::on(Site::Telegram).postgres() else {
        return;
    };
    // Nobody would wait for such a lease to run out.
    let setup = setup
        .set("engine.lease_seconds", 3600)
        .set("engine.shutdown_seconds", GIVEN);
    let mut bot = two(setup).await;
    let [ada, ben, cleo] = [(1, "Ada"), (2, "Ben"), (3, "Cleo")].map(|(id, name)| bot.room(Site::Telegram, id, name));
    bot.says(ada, "remember tea");
    bot.answers(ada, 1).await;
    is_answered_in_vain(&bot, cleo).await;
    let before = bot.model.request_count();
    let hold = bot.model.hold();
    bot.says(ben, "hello");
    bot.telegram.command(chat_of(ada), 1, "close", "");
    bot.model.wait_for_requests(before + 2).await;
    bot.stop().await;
    bot.telegram.fail_chat(chat_of(cleo), None);
    hold.release();
    assert_eq!(bot.answers(ben, 1).await, ["You said: hello"]);
    assert_eq!(bot.answers(cleo, 1).await, ["You said: hello"]);
    bot.until("the job", async |look| look.jobs_are_done().await.then_some(()))
        .await;
    bot.says(ada, "are you there");
    bot.until("an answer from the process that is left", async |_| {
        (bot.texts(ada).last().map(String::as_str) == Some("You said: are you there")).then_some(())
    })
    .await;
    bot.finish().await;
    assert_eq!((bot.texts(ben).len(), bot.texts(cleo).len()), (1, 1));
}
