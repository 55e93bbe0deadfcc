//! Work that ends the process: it is set aside after three deaths, and everybody else is answered.

mod alone;
mod quoted;

use std::sync::{Arc, Mutex};

use clifford_core::runs::RunStatus;
use clifford_fakes::{
    openai::Reply,
    site::{Answer, SiteFake},
};
use serde_json::{Value, json};

use crate::{
    api_watch::watched,
    calls,
    harness::{Bot, Room, Setup, Site},
    scripted_model::Prompt,
};

/// Text that ends a process which works on it, see `engine::crash`.
const KILLER: &str = "a killing text";
const VARIABLE: &str = "CLIFFORD_CRASH_ON";
const SORRY: &str = "Sorry, I could not finish this: I crashed each time that I worked on it. I have set it \
                     aside, and my operator can see why.";

/// Setups for SQLite and, where it is installed, PostgreSQL.
fn both(way: &str) -> impl Iterator<Item = Setup> {
    let on = || Setup::on(Site::Telegram).env(VARIABLE, format!("{way}={KILLER}"));
    [Some(on()), on().postgres()].into_iter().flatten()
}

/// Starts a process each time that one dies, until something is found. Returns how many died.
async fn restarted_until(bot: &mut Bot, what: &str, mut found: impl AsyncFnMut(&mut Bot) -> bool) -> usize {
    let mut deaths = 0;
    let mut often = tokio::time::interval(std::time::Duration::from_millis(25));
    let done = tokio::time::timeout(crate::harness::PATIENCE, async {
        loop {
            often.tick().await;
            if bot.has_died() {
                bot.exited().await;
                deaths += 1;
                assert!(deaths < 10, "it dies for ever: {what}");
                bot.spawn(None);
            }
            if found(bot).await {
                return;
            }
        }
    });
    if done.await.is_err() {
        panic!(
            "waited in vain for {what} after {deaths} deaths\n{}",
            bot.look().await.dump().await
        );
    }
    deaths
}

/// A bot with an API, whose processes died of two runs, and their ids.
pub async fn with_two_set_aside() -> (Bot, Vec<String>) {
    let setup = watched(Setup::on(Site::Telegram)).env(VARIABLE, format!("run={KILLER}"));
    let mut bot = setup.start().await;
    for (id, name) in [(7, "Ada"), (8, "Ben")] {
        let room = bot.room(Site::Telegram, id, name);
        bot.says(room, KILLER);
        restarted_until(&mut bot, "an apology", async |bot| !bot.texts(room).is_empty()).await;
    }
    bot.stop().await;
    bot.unset(VARIABLE);
    bot.start().await;
    let listed = bot.command(&["quarantine", "list", "--json"]).await;
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let ids = listed.iter().map(|work| work["id"].as_str().unwrap().to_owned());
    (bot, ids.collect())
}

/// The messages that somebody reads, but for a repeat that Telegram cannot tell: a part that was sent and not marked.
fn read(bot: &Bot, room: Room) -> Vec<String> {
    let mut texts = bot.texts(room);
    texts.dedup();
    texts
}

/// Waits until somebody has read so much.
async fn hears(bot: &Bot, room: Room, count: usize) -> Vec<String> {
    bot.until("an answer", async |_| {
        Some(read(bot, room)).filter(|texts| texts.len() >= count)
    })
    .await
}

fn people(bot: &Bot, count: i64) -> Vec<Room> {
    (0..count)
        .map(|id| bot.room(Site::Telegram, 100 + id, "Somebody"))
        .collect()
}

#[tokio::test]
async fn a_run_that_kills_is_set_aside_after_three_deaths_and_may_be_tried_again() {
    for setup in both("run") {
        let mut bot = setup.start().await;
        let ada = bot.room(Site::Telegram, 7, "Ada");
        let others = people(&bot, 5);
        bot.says(ada, KILLER);
        for other in &others {
            bot.says(*other, "hello");
        }
        let deaths = restarted_until(&mut bot, "everybody's answers", async |bot| {
            let answered = others.iter().all(|other| !bot.texts(*other).is_empty());
            answered && !bot.texts(ada).is_empty()
        })
        .await;
        assert_eq!(deaths, 3);
        assert_eq!(read(&bot, ada), [SORRY]);
        for other in &others {
            assert_eq!(read(&bot, *other), ["You said: hello"]);
        }
        let look = bot.look().await;
        let failed: Vec<_> = (look.runs().await.into_iter())
            .filter(|run| run.status == RunStatus::Failed)
            .collect();
        let [run] = failed.as_slice() else {
            panic!("{failed:#?}");
        };
        assert_eq!(run.input_text, KILLER);
        assert!(
            run.error
                .as_deref()
                .unwrap()
                .starts_with("quarantined: 3 processes died")
        );
        assert!(
            bot.doctor()
                .await
                .contains("in quarantine, because processes died of it: 1 run\n")
        );
        let listed = bot.command(&["quarantine", "list"]).await;
        assert!(listed.contains(&run.id.to_string()), "{listed}");

        bot.says(ada, "and now?");
        assert_eq!(hears(&bot, ada, 2).await, [SORRY, "You said: and now?"]);
        bot.stop().await;
        bot.unset(VARIABLE);
        bot.start().await;
        bot.command(&["runs", "retry", &run.id.to_string()]).await;
        let answers = hears(&bot, ada, 3).await;
        assert_eq!(answers[2], format!("You said: {KILLER}"));
        assert!(bot.doctor().await.contains("nothing is in quarantine"));
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_tool_call_that_kills_is_set_aside_after_three_deaths() {
    for site in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()] {
        let Some(setup) = site else { continue };
        let mut bot = setup.env(VARIABLE, "call=6 * 7").start().await;
        let [ada, ben] = [(7, "Ada"), (8, "Ben")].map(|(id, name)| bot.room(Site::Telegram, id, name));
        bot.says(ada, "two tools");
        bot.says(ben, "hello");
        let deaths = restarted_until(&mut bot, "both answers", async |bot| {
            !bot.texts(ada).is_empty() && !bot.texts(ben).is_empty()
        })
        .await;
        assert_eq!(deaths, 3);
        assert_eq!(read(&bot, ada), [SORRY]);
        assert_eq!(read(&bot, ben), ["You said: hello"]);
        let listed = bot.command(&["quarantine", "list", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        bot.command(&["quarantine", "forget", listed[0]["id"].as_str().unwrap()])
            .await;
        assert!(bot.doctor().await.contains("nothing is in quarantine"));
        let look = bot.look().await;
        assert_eq!(look.count("messages WHERE deleted_at IS NOT NULL").await, 1);
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_killed_is_in_no_later_prompt_until_it_is_tried_again() {
    for setup in both("prompt") {
        let mut bot = setup.start().await;
        let ada = bot.room(Site::Telegram, 7, "Ada");
        bot.says(ada, KILLER);
        let deaths = restarted_until(&mut bot, "an answer", async |bot| !bot.texts(ada).is_empty()).await;
        assert_eq!(deaths, 3);
        bot.says(ada, "and now?");
        assert_eq!(hears(&bot, ada, 2).await, [SORRY, "You said: and now?"]);
        assert!(!bot.has_died());
        let requests = bot.model.requests();
        assert_eq!(Prompt::read(requests.last().unwrap()).conversation(), [SORRY]);

        let look = bot.look().await;
        let run = look.runs().await.remove(0).id.to_string();
        bot.stop().await;
        bot.unset(VARIABLE);
        bot.start().await;
        bot.command(&["runs", "retry", &run]).await;
        hears(&bot, ada, 3).await;
        bot.says(ada, "and then?");
        hears(&bot, ada, 4).await;
        let requests = bot.model.requests();
        let conversation = Prompt::read(requests.last().unwrap());
        assert!(conversation.conversation().contains(&KILLER));
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_suspects_long_call_keeps_nobody_waiting_and_is_not_blamed_for_what_came_meanwhile() {
    for setup in both("call") {
        let site = SiteFake::start().await.unwrap();
        site.put("/", Answer::never());
        let allowed = vec![toml::Value::from(site.address().to_string())];
        let mut bot = setup.set("tools.web.allow_hosts", allowed).start().await;
        bot.model.respond_with(calls::reply);
        let [ada, ben, eve] = [(7, "Ada"), (8, "Ben"), (9, "Eve")].map(|(id, name)| bot.room(Site::Telegram, id, name));
        bot.says(ada, &format!("call web.fetch {}", json!({ "url": site.url("/") })));
        for visits in 1..=3 {
            bot.until("the call", async |_| (site.visits().len() >= visits).then_some(()))
                .await;
            if visits < 3 {
                bot.kill().await;
                bot.spawn(None);
            }
        }
        let look = bot.look().await;
        assert_eq!(look.count("runs WHERE isolation = 'working'").await, 1);
        bot.says(ben, "hello");
        assert_eq!(bot.answers(ben, 1).await, ["You said: hello"]);
        assert_eq!(look.count("runs WHERE isolation = 'waiting'").await, 1);
        assert!(bot.texts(ada).is_empty());

        site.put("/", Answer::body("text/plain", "the page"));
        bot.says(eve, &format!("call compute.eval {}", json!({ "expression": KILLER })));
        let deaths = restarted_until(&mut bot, "both answers", async |bot| {
            !bot.texts(ada).is_empty() && !bot.texts(eve).is_empty()
        })
        .await;
        assert_eq!(deaths, 3);
        assert_eq!(read(&bot, ada), ["the page"]);
        assert_eq!(read(&bot, eve), [SORRY]);
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_was_in_flight_at_many_kills_is_answered_all_the_same() {
    const KILLS: usize = 6;
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()] {
        let Some(setup) = setup else { continue };
        let mut bot = setup.set("engine.lease_seconds", 2).start().await;
        let others = people(&bot, 8);
        for other in &others {
            bot.says(*other, "answer slowly");
        }
        for kill in 1..=KILLS {
            // Each is with its model when the process is killed, the first two times with all others.
            let asked = kill * others.len();
            bot.until("calls under way", async |_| {
                (bot.model.request_count() >= asked).then_some(())
            })
            .await;
            bot.kill().await;
            bot.spawn(None);
        }
        for other in &others {
            assert_eq!(bot.answers(*other, 1).await, ["You said: answer slowly"]);
        }
        let look = bot.look().await;
        assert_eq!(
            look.count("runs WHERE quarantined_at IS NOT NULL OR deaths <> 0").await,
            0
        );
        assert!(bot.doctor().await.contains("nothing is in quarantine"));
        bot.finish().await;
    }
}

/// One who is there already, so that the bot knows where to answer.
async fn known(bot: &Bot, id: i64, name: &str) -> Room {
    let room = bot.room(Site::Telegram, id, name);
    bot.says(room, "hi");
    bot.answers(room, 1).await;
    room
}

#[tokio::test]
async fn a_message_that_kills_who_sends_it_is_set_aside_and_may_be_sent_later() {
    const APOLOGY: &str = "Sorry, I had an answer, but I crashed each time that I tried to send it. I have set it \
                           aside, and my operator can see why.";
    for setup in both("part") {
        let mut bot = setup.start().await;
        let (ada, ben) = (known(&bot, 7, "Ada").await, known(&bot, 8, "Ben").await);
        bot.says(ada, KILLER);
        bot.says(ben, "hello");
        let deaths = restarted_until(&mut bot, "both answers", async |bot| {
            read(bot, ada).len() > 1 && read(bot, ben).len() > 1
        })
        .await;
        assert_eq!(deaths, 3);
        assert_eq!(read(&bot, ada)[1..], [APOLOGY]);
        assert_eq!(read(&bot, ben)[1..], ["You said: hello"]);
        assert!(bot.doctor().await.contains("processes died of it: 1 message\n"));
        let listed = bot.command(&["quarantine", "list", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        bot.stop().await;
        bot.unset(VARIABLE);
        bot.start().await;
        // As much of an id as no other has is enough.
        bot.command(&["quarantine", "retry", &listed[0]["id"].as_str().unwrap()[..30]])
            .await;
        assert_eq!(hears(&bot, ada, 3).await[2], format!("You said: {KILLER}"));
        assert!(bot.doctor().await.contains("nothing is in quarantine"));
        bot.finish().await;
    }
}

#[tokio::test]
async fn an_event_that_kills_who_stores_it_is_set_aside_and_its_author_is_told() {
    const APOLOGY: &str = "Sorry, I could not take in your last message: I crashed each time that I tried to. I \
                           have set it aside, and my operator can see why.";
    for setup in both("event") {
        let mut bot = setup.start().await;
        let (ada, ben) = (known(&bot, 7, "Ada").await, known(&bot, 8, "Ben").await);
        bot.says(ada, KILLER);
        bot.says(ben, "hello");
        let deaths = restarted_until(&mut bot, "both answers", async |bot| {
            read(bot, ada).len() > 1 && read(bot, ben).len() > 1
        })
        .await;
        assert_eq!(deaths, 3);
        assert_eq!(read(&bot, ada)[1..], [APOLOGY]);
        assert_eq!(read(&bot, ben)[1..], ["You said: hello"]);
        assert!(bot.doctor().await.contains("processes died of it: 1 event\n"));
        let look = bot.look().await;
        let kept = format!("unreadable_events WHERE payload LIKE '%{KILLER}%'");
        assert_eq!(look.count(&kept).await, 1);
        // Nothing is left of those that killed nobody.
        assert_eq!(look.count("inbound_attempts").await, 1);
        bot.says(ada, "and now?");
        assert_eq!(hears(&bot, ada, 3).await[2], "You said: and now?");
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_trigger_that_kills_who_fires_it_is_set_aside_and_others_fire() {
    const APOLOGY: &str = "⏰ Sorry, something that was planned for now made me crash each time that I tried it. I have set \
                           it aside, and my operator can see why.";
    for setup in both("trigger") {
        let mut bot = setup.start().await;
        let (ada, ben) = (known(&bot, 7, "Ada").await, known(&bot, 8, "Ben").await);
        for (user, text) in [("telegram:7", KILLER), ("telegram:8", "stretch")] {
            let args = [
                "triggers",
                "add",
                text,
                "--reminder",
                "--when",
                "in 1 second",
                "--user",
                user,
            ];
            bot.command(&args).await;
        }
        let deaths = restarted_until(&mut bot, "both reminders", async |bot| {
            read(bot, ada).len() > 1 && read(bot, ben).len() > 1
        })
        .await;
        assert_eq!(deaths, 3);
        assert_eq!(read(&bot, ada)[1..], [APOLOGY]);
        assert_eq!(read(&bot, ben)[1..], ["⏰ stretch"]);
        assert!(bot.doctor().await.contains("processes died of it: 1 trigger\n"));
        let listed = bot.command(&["quarantine", "list", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        bot.stop().await;
        bot.unset(VARIABLE);
        bot.start().await;
        bot.command(&["quarantine", "retry", listed[0]["id"].as_str().unwrap()])
            .await;
        assert_eq!(hears(&bot, ada, 3).await[2], format!("⏰ {KILLER}"));
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_job_that_kills_is_set_aside_and_may_be_done_later() {
    for setup in both("job") {
        let setup = setup.env(VARIABLE, "job=memory_write");
        let mut bot = setup.start().await;
        let (ada, ben) = (known(&bot, 7, "Ada").await, known(&bot, 8, "Ben").await);
        bot.says(ada, "remember tea");
        bot.answers(ada, 2).await;
        let Room::Telegram(chat) = ada else {
            panic!("it is on Telegram");
        };
        bot.telegram.command(chat, 7, "close", "");
        bot.says(ben, "hello");
        let deaths = restarted_until(&mut bot, "the job's end and an answer", async |bot| {
            let set_aside = bot.look().await.count("jobs WHERE quarantined_at IS NOT NULL").await;
            set_aside == 1 && read(bot, ben).len() > 1
        })
        .await;
        assert_eq!(deaths, 3);
        assert!(bot.doctor().await.contains("processes died of it: 1 job\n"));
        let listed = bot.command(&["quarantine", "list", "--json"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        bot.stop().await;
        bot.unset(VARIABLE);
        bot.start().await;
        bot.command(&["quarantine", "retry", listed[0]["id"].as_str().unwrap()])
            .await;
        bot.until("the job", async |look| {
            (look.count("jobs WHERE status = 'done'").await == 1).then_some(())
        })
        .await;
        assert_eq!(bot.look().await.count("memory_items").await, 1);
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_file_that_kills_who_reads_it_is_read_no_more() {
    for setup in both("file") {
        let mut bot = setup.start().await;
        let file = Arc::new(Mutex::new(Value::Null));
        bot.model.respond_with(move |request| {
            let payload: Value = serde_json::from_str(request.text(1)).unwrap();
            let mut file = file.lock().unwrap();
            if let Some(id) = payload["files"].get(0).map(|sent| sent["id"].clone()) {
                *file = id;
            }
            let entry: Value = serde_json::from_str(request.last_text()).unwrap_or_default();
            Reply::json(&match entry.get("tool_result") {
                Some(result) => json!({"type": "finish", "output": result.to_string()}),
                None => json!({"type": "tool_call", "name": "files.read", "args": {"id": *file}, "notes": [
                    {"category": "requirements", "content": "what is in it"},
                    {"category": "plan", "content": "read it"},
                ]}),
            })
        });
        let ada = bot.room(Site::Telegram, 7, "Ada");
        let Room::Telegram(chat) = ada else {
            panic!("it is on Telegram");
        };
        let name = format!("{KILLER}.txt");
        bot.telegram.user_sends_file(chat, 7, "what is in it?", &name, b"words");
        let deaths = restarted_until(&mut bot, "an answer", async |bot| !bot.texts(ada).is_empty()).await;
        assert_eq!(deaths, 3);
        assert_eq!(read(&bot, ada), [SORRY]);
        bot.says(ada, "try again");
        let answers = hears(&bot, ada, 2).await;
        assert!(
            answers[1].contains("is set aside: reading it brought the bot down each time"),
            "{answers:?}"
        );
        assert!(bot.doctor().await.contains("processes died of it: 1 file, 1 run\n"));
        bot.finish().await;
    }
}
