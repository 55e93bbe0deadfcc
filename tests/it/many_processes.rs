//! Several processes on one PostgreSQL database: the division of work, and the takeover when one of them, or the
//! database's server, is gone for a while.

use std::{collections::BTreeSet, time::Duration};

use clifford_core::{
    clock::{Clock as _, SystemClock},
    runs::RunStatus,
};
use clifford_fakes::{
    postgres::Cluster,
    telegram::{Fault, Method},
};
use futures::StreamExt;
use serde_json::json;

use crate::{
    harness::{Bot, Setup, Site},
    sse::{Event, Sse},
};

const TOKEN: &str = "an-owner-token";

/// Leases run out soon here.
fn setup(site: Site) -> Option<Setup> {
    Some(Setup::on(site).postgres()?.set("engine.lease_seconds", 2))
}

fn with_api(setup: Setup) -> Setup {
    setup
        .set("http.enabled", true)
        .set("http.bind", "127.0.0.1:0")
        .env("CLIFFORD_API_TOKEN", TOKEN)
}

/// Where the APIs are served, in the order in which their processes were started.
async fn apis(bot: &Bot, count: usize) -> Vec<String> {
    bot.until("the APIs to be served", async |_| {
        let log = bot.log_text();
        let lines = log.lines().filter(|line| line.contains("serving the API"));
        let address = |line: &str| Some(line.rsplit_once("address=")?.1.trim().to_owned());
        Some(lines.filter_map(address).collect::<Vec<_>>()).filter(|found| found.len() == count)
    })
    .await
}

#[tokio::test]
async fn four_processes_share_the_work_and_fire_each_trigger_once() {
    let Some(setup) = setup(Site::Telegram) else { return };
    let mut bot = with_api(setup).start().await;
    let api = apis(&bot, 1).await.remove(0);
    bot.spawn(None);
    bot.spawn_only("workers");
    bot.spawn_only("workers");
    let rooms: Vec<_> = (1..=12).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();

    for number in 1..=12 {
        let at = SystemClock.now().after(Duration::from_secs(5));
        let trigger = json!({"kind": "run", "name": format!("t{number}"), "content": format!("trigger {number} fires"), "at": at});
        let made = reqwest::Client::new()
            .post(format!("http://{api}/api/triggers"))
            .bearer_auth(TOKEN)
            .json(&trigger)
            .send()
            .await
            .unwrap();
        assert!(made.status().is_success(), "{}", made.text().await.unwrap());
    }

    // The first process wakes a run that slept; so many naps that each is first now and then.
    let look = bot.look().await;
    let mut workers = BTreeSet::new();
    let mut naps = 0;
    while workers.len() < 4 {
        naps += 1;
        assert!(naps < 30, "only {} processes worked", workers.len());
        for room in &rooms {
            bot.says(*room, "nap slowly");
        }
        bot.until("everybody to have napped", async |_| {
            workers.extend(look.at_work().await);
            let all = rooms.iter().all(|room| bot.texts(*room).len() == naps);
            all.then_some(())
        })
        .await;
    }
    bot.until("the triggers to have fired", async |look| {
        let runs = look.runs().await;
        let mut fired: Vec<_> = runs.iter().filter(|run| run.input_text.contains("fires")).collect();
        fired.retain(|run| run.status.is_ended());
        (fired.len() >= 12).then_some(())
    })
    .await;
    bot.finish().await;
    let runs = look.runs().await;
    for number in 1..=12 {
        let of = |run: &&clifford_core::runs::Run| run.input_text.contains(&format!("trigger {number} fires"));
        assert_eq!(runs.iter().filter(of).count(), 1, "trigger {number}");
    }
    for room in rooms {
        assert_eq!(bot.texts(room), vec!["I am awake."; naps]);
    }
    assert!(runs.iter().all(|run| run.status == RunStatus::Completed));
}

#[tokio::test]
async fn a_process_that_was_stopped_and_goes_on_writes_and_sends_nothing_any_more() {
    let Some(setup) = setup(Site::Telegram) else { return };
    let mut bot = setup.start().await;
    let room = |id| bot.room(Site::Telegram, id, "Ada");
    let (thinking, sending, late) = (room(1), room(2), room(3));
    // One answer is on its way out, with a part gone and the next one refused for a while.
    bot.telegram.fail_next(Method::SendMessage, Fault::Slow(Duration::ZERO));
    bot.telegram.fail_next(Method::SendMessage, Fault::TooMany(5));
    bot.says(sending, "write a lot");
    bot.until("the refusal of the second part", async |_| {
        (bot.logged("delaying a message") > 0).then_some(())
    })
    .await;
    // Another one is being thought about.
    let hold = bot.model.hold();
    let before = bot.model.request_count();
    bot.says(thinking, "hello");
    bot.model.wait_for_requests(before + 1).await;
    bot.telegram.wait_for_confirmed().await;

    bot.freeze();
    bot.spawn(None);
    hold.release();
    // The other one polls, thinks and sends now.
    bot.says(late, "are you there");
    assert_eq!(bot.answers(late, 1).await, ["You said: are you there"]);
    bot.answers(thinking, 1).await;
    let undelivered = async |look: &crate::db_probe::DbProbe| (look.undelivered().await == 0).then_some(());
    bot.until("everything to be delivered", undelivered).await;
    let sent = bot.texts(sending);

    let notices = || bot.logged("lost the connection lease") + bot.logged("standing by");
    let before = notices();
    bot.thaw();
    bot.until("the first one to notice", async |_| (notices() > before).then_some(()))
        .await;
    // It ends what it has in flight, or hands it back.
    bot.stop().await;
    bot.says(late, "and now");
    bot.answers(late, 2).await;
    bot.finish().await;
    assert_eq!(bot.texts(thinking), ["You said: hello"]);
    assert_eq!(bot.texts(sending), sent);
    let distinct: BTreeSet<_> = sent.iter().collect();
    assert_eq!(distinct.len(), sent.len(), "no part came twice");
    let look = bot.look().await;
    for run in look.runs().await {
        let steps = look.steps(run.id).await;
        let replies = steps.iter().filter(|step| *step == "llm_response").count();
        assert_eq!(replies, 1, "{steps:?}");
    }
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_killed_processs_connection_is_another_ones_within_15_seconds_as_leases_last_by_default() {
    let Some(setup) = Setup::on(Site::Telegram).postgres() else {
        return;
    };
    let mut bot = setup.set("engine.lease_seconds", 30).start().await;
    let room = bot.room(Site::Telegram, 1, "Ada");
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    let look = bot.look().await;
    let until = async || {
        look.number("SELECT until FROM leases WHERE name = 'channel:telegram'")
            .await
    };
    let first = look.holders("channel:telegram").await;
    bot.freeze();
    bot.spawn(None);
    let runs_out = until().await;
    let now = clifford_core::clock::Clock::now(&clifford_core::clock::SystemClock);
    assert!(runs_out - now.0 <= 15_000, "it runs out in {} ms", runs_out - now.0);
    bot.kill().await;
    bot.says(room, "are you there");
    assert_eq!(bot.answers(room, 2).await[1], "You said: are you there");
    assert_ne!(look.holders("channel:telegram").await, first);
    assert!(until().await - 15_000 >= runs_out, "it was taken before it ran out");
    bot.finish().await;
}

#[tokio::test]
async fn the_shards_of_discord_are_split_and_those_of_a_killed_process_are_taken_over() {
    let Some(setup) = setup(Site::Discord) else { return };
    let mut bot = setup.set("channels.discord.shards", 2).prepare().await;
    bot.discord.needs_shards(2);
    let user = bot.discord.user("Ada");
    let channels: Vec<_> = (0..8)
        .map(|number| {
            // The next millisecond is the other shard's.
            bot.discord.advance(Duration::from_millis(1));
            let guild = bot.discord.guild(&format!("Server {number}"));
            ((guild >> 22) % 2, bot.discord.channel(guild, "talk"))
        })
        .collect();
    let of = |shard| channels.iter().find(|(place, _)| *place == shard).unwrap().1;
    let (first, second, dm) = (of(0), of(1), bot.discord.dm(user));
    bot.spawn(None);
    bot.spawn(None);
    bot.until("a shard for each", async |look| {
        let holders: BTreeSet<_> = look.holders("channel:discord").await.into_iter().collect();
        (holders.len() == 2 && bot.discord.shards() == [0, 1]).then_some(())
    })
    .await;
    let name = format!("<@{}>", bot.discord.bot());
    let ask = |bot: &Bot, text: &str| {
        for channel in [first, second] {
            bot.discord.user_says(channel, user, &format!("{name} {text}"));
        }
        bot.discord.user_says(dm, user, text);
    };
    let texts = |bot: &Bot, channel| {
        let sent = bot.discord.sent(channel);
        sent.into_iter().map(|sent| sent.content).collect::<Vec<_>>()
    };
    ask(&bot, "one");
    for channel in [first, second, dm] {
        bot.discord.wait_for_sent(channel, 1).await;
    }

    bot.kill().await;
    bot.discord.expire_sessions();
    ask(&bot, "two");
    bot.until("all shards with the other", async |_| {
        (bot.discord.shards() == [0, 1]).then_some(())
    })
    .await;
    for channel in [first, second, dm] {
        bot.discord.wait_for_sent(channel, 2).await;
    }
    bot.finish().await;
    for channel in [first, second] {
        assert_eq!(texts(&bot, channel), ["You said: [Ada] one", "You said: [Ada] two"]);
    }
    assert_eq!(texts(&bot, dm), ["You said: one", "You said: two"]);
}

#[tokio::test]
async fn a_run_is_streamed_by_a_process_that_does_not_work_on_it() {
    let Some(setup) = setup(Site::Telegram) else { return };
    let mut bot = with_api(setup).start().await;
    bot.spawn_only("api");
    let api = apis(&bot, 2).await.remove(1);
    let hold = bot.model.hold();
    let room = bot.room(Site::Telegram, 1, "Ada");
    bot.says(room, "two tools");
    bot.model.wait_for_requests(1).await;
    let run = bot.look().await.run().await.id;
    let response = reqwest::Client::new()
        .get(format!("http://{api}/api/runs/{run}/stream"))
        .bearer_auth(TOKEN)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    hold.release();
    let chunks: Vec<_> = response.bytes_stream().map(Result::unwrap).collect().await;
    let text = String::from_utf8(chunks.concat()).unwrap();
    let names: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    let steps = bot.look().await.steps(run).await.len();
    assert_eq!(names.iter().filter(|name| **name == "step").count(), steps);
    assert_eq!(names.last(), Some(&"done"));
    bot.finish().await;
}

#[tokio::test]
async fn when_the_database_server_dies_and_comes_back_everything_goes_on() {
    let Some(cluster) = Cluster::start() else { return };
    let setup = Setup::on(Site::Telegram)
        .and(Site::Discord)
        .database(&cluster.database().unwrap());
    let mut bot = setup.set("engine.lease_seconds", 2).start().await;
    bot.spawn_only("workers");
    bot.until("the other process", async |_| {
        (bot.logged(" runs (only workers).") == 1).then_some(())
    })
    .await;
    let rooms: Vec<_> = (1..=10)
        .flat_map(|id| Site::BOTH.map(|site| bot.room(site, id, "Ada")))
        .collect();
    for room in &rooms {
        bot.says(*room, "two tools slowly");
    }
    bot.model.wait_for_requests(15).await;
    let restarted = tokio::task::spawn_blocking(move || (cluster.restart(), cluster));
    for room in &rooms {
        bot.says(*room, "another");
    }
    let (outcome, _cluster) = restarted.await.unwrap();
    outcome.unwrap();
    for room in &rooms {
        bot.answers(*room, 2).await;
    }
    for room in &rooms {
        bot.says(*room, "and one more");
        bot.answers(*room, 3).await;
    }
    bot.finish().await;
    for room in rooms {
        assert_eq!(
            bot.texts(room),
            [
                "two tools slowly: 42 and 43",
                "You said: another",
                "You said: and one more"
            ]
        );
    }
}

#[tokio::test]
async fn a_connections_lease_is_renewed_while_more_comes_in_than_there_are_connections_to_the_database() {
    let Some(setup) = setup(Site::Telegram) else { return };
    let mut bot = setup.start().await;
    let rooms: Vec<_> = (1..=100).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
    for round in 1..=3 {
        for room in &rooms {
            bot.says(*room, "hello");
        }
        for room in &rooms {
            bot.answers(*room, round).await;
        }
    }
    bot.finish().await;
    assert_eq!(bot.logged("pool timed out"), 0);
    assert_eq!(bot.logged("lost the connection lease"), 0);
}

#[tokio::test]
async fn live_events_tell_what_every_process_does_and_go_on_in_another_one() {
    let Some(setup) = setup(Site::Telegram) else { return };
    let mut bot = with_api(setup).start().await;
    apis(&bot, 1).await;
    bot.spawn(None);
    let apis = apis(&bot, 2).await;
    let open = async |api: &str, after: Option<&str>| {
        let request = reqwest::Client::new().get(format!("http://{api}/api/events"));
        Sse::open(request.bearer_auth(TOKEN), after).await
    };
    let is_done = |event: &Event| event.name == "run" && event.data["status"] == "completed";
    let mut streams = [open(&apis[0], None).await, open(&apis[1], None).await];
    for stream in &mut streams {
        assert_eq!(stream.next().await.unwrap().name, "mark");
    }
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    let look = bot.look().await;
    let first = look.run().await.id.to_string();
    let mut last = None;
    for stream in &mut streams {
        let told = stream.until("the end of the run", is_done).await;
        let done = told.last().unwrap();
        assert_eq!(done.data["id"], first.as_str());
        assert!(told.iter().any(|event| event.name == "message"), "{told:#?}");
        // The one of the process that is killed below.
        last = last.or_else(|| done.id.clone());
    }

    bot.kill().await;
    bot.says(room, "are you there");
    bot.answers(room, 2).await;
    let mut again = open(&apis[1], last.as_deref()).await;
    let second = look.runs().await.last().unwrap().id.to_string();
    assert_ne!(first, second);
    let told = again
        .until("the end of the second run", |event| {
            is_done(event) && event.data["id"] == second.as_str()
        })
        .await;
    assert!(told.iter().all(|event| event.name != "reset"), "{told:#?}");
    bot.finish().await;
}
