//! SIGHUP: settings are read again while the bot is at work. A correct configuration is put in force, and nothing is
//! lost or said twice by that; a wrong one stays out, whole.

use std::net::TcpListener;

use clifford_fakes::{
    openai::Reply,
    telegram::{Fault, Method},
};
use serde_json::{Value, json};

use crate::{
    api_watch::{TOKEN, Watch, watched},
    harness::{Bot, Room, Setup, Site},
};

const IN_FORCE: &str = "applied new settings";
const KEPT: &str = "rejected new settings, the old ones stay in force";
const AGAIN: &str = "reloaded settings";

fn provider(bot: &Bot, model: &str) -> toml::Value {
    let provider = toml::Table::from_iter([
        ("name".to_owned(), "fake".into()),
        ("model".to_owned(), model.into()),
        ("base_url".to_owned(), bot.model.base_url().into()),
        ("context_tokens".to_owned(), 128_000.into()),
    ]);
    toml::Value::Array(vec![provider.into()])
}

fn people(bot: &Bot, site: Site, count: i64) -> Vec<Room> {
    (1..=count)
        .map(|id| bot.room(site, id, &format!("person {id}")))
        .collect()
}

#[tokio::test]
async fn new_settings_are_in_force_after_a_reload_under_load_and_nothing_is_lost_or_said_twice() {
    let on = || watched(Setup::on(Site::Telegram).and(Site::Discord)).set("engine.shutdown_seconds", 2);
    for setup in [Some(on()), on().postgres()].into_iter().flatten() {
        let mut bot = setup.start().await;
        let rooms = [people(&bot, Site::Telegram, 6), people(&bot, Site::Discord, 6)].concat();
        for room in &rooms {
            bot.says(*room, "one");
        }
        for room in &rooms {
            bot.answers(*room, 1).await;
        }
        // Each has a call of the model under way that will not end by itself.
        let before = bot.model.request_count();
        let hold = bot.model.hold();
        for room in &rooms {
            bot.says(*room, "two");
        }
        bot.model.wait_for_requests(before + rooms.len()).await;
        bot.configure("llm.providers", provider(&bot, "fake-2"));
        bot.configure("engine.max_iterations", 7);
        bot.configure("log.format", "json");
        bot.reload().await;
        bot.has_logged("settings changed, draining work in flight", 1).await;
        // A message that comes while nobody receives waits where it is.
        for room in &rooms {
            bot.says(*room, "three");
        }
        bot.has_logged(IN_FORCE, 1).await;
        hold.release();
        for room in &rooms {
            bot.answers(*room, 3).await;
        }
        let log = bot.log_text();
        let keys = "engine.max_iterations, llm.providers[0].model";
        assert!(log.contains(keys), "{log}");
        let restart = log
            .lines()
            .find(|line| line.contains("settings changed that apply after a restart"))
            .unwrap();
        assert!(
            restart.contains("log.format") && !log.contains("\"fields\""),
            "{restart}"
        );
        let asked = bot.model.requests();
        assert_eq!(asked.last().unwrap().model(), "fake-2");
        assert_eq!(Watch::on(&bot).ready().await.0, 200);
        bot.finish().await;
        for room in &rooms {
            assert_eq!(bot.texts(*room), ["You said: one", "You said: two", "You said: three"]);
        }
        assert_eq!(bot.look().await.undelivered().await, 0);
    }
}

#[tokio::test]
async fn settings_that_are_wrong_are_refused_whole_and_the_old_ones_stay() {
    let mut bot = watched(Setup::on(Site::Telegram)).start().await;
    let watch = Watch::on(&bot);
    let room = bot.room(Site::Telegram, 7, "Ada");
    let good = bot.settings();
    bot.configure("llm.providers", provider(&bot, "fake-2"));
    bot.configure("engine.max_iterations", 0);
    bot.configure("ingress.debounce", 7);
    bot.reload().await;
    bot.has_logged(KEPT, 1).await;
    let log = bot.log_text();
    for fault in ["engine.max_iterations", "ingress.debounce"] {
        assert!(log.contains(fault), "{fault}: {log}");
    }
    // Neither does one that only the world refuses.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    bot.write_settings(&good);
    bot.configure("http.bind", taken.local_addr().unwrap().to_string());
    bot.reload().await;
    bot.has_logged(KEPT, 2).await;
    assert!(bot.log_text().contains("cannot be listened on"));
    // And what differs from nothing changes nothing.
    bot.write_settings(&good);
    bot.reload().await;
    bot.has_logged(AGAIN, 1).await;
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    assert_eq!(watch.ready().await.0, 200);
    assert_eq!(bot.model.requests().last().unwrap().model(), "fake-1");
    assert_eq!(bot.logged(IN_FORCE), 0);
    bot.finish().await;
}

#[tokio::test]
async fn settings_are_read_again_by_the_api_which_tells_what_came_of_it() {
    let mut bot = watched(Setup::on(Site::Telegram)).start().await;
    let watch = Watch::on(&bot);
    let room = bot.room(Site::Telegram, 7, "Ada");
    let told = async || {
        let (status, text) = watch.post("/api/reload", String::new()).await;
        (status, serde_json::from_str::<Value>(&text).unwrap())
    };
    assert_eq!(told().await, (200, json!({ "applied": [], "needsRestart": [] })));
    bot.configure("engine.max_iterations", 7);
    bot.configure("log.format", "json");
    let changed = json!({ "applied": ["engine.max_iterations"], "needsRestart": ["log.format"] });
    assert_eq!(told().await, (200, changed));
    bot.has_logged(IN_FORCE, 1).await;
    // Of two at once, one finds the change. The other comes before it is in force, or finds nothing else.
    bot.configure("engine.max_iterations", 8);
    let (one, other) = tokio::join!(told(), told());
    let mut found = [one, other].map(|(status, told)| (told["applied"].as_array().map(Vec::len), status));
    found.sort_unstable();
    assert!(
        matches!(found, [(None, 409) | (Some(0), 200), (Some(1), 200)]),
        "{found:?}"
    );
    bot.has_logged(IN_FORCE, 2).await;
    let good = bot.settings();
    bot.configure("engine.max_iterations", 0);
    bot.configure("ingress.debounce", 7);
    let (status, wrong) = told().await;
    assert_eq!((status, &wrong["code"]), (422, &json!("settings_refused")), "{wrong}");
    for part in [
        "the old settings stay in force",
        "engine.max_iterations",
        "ingress.debounce",
    ] {
        assert!(wrong["detail"].as_str().unwrap().contains(part), "{wrong}");
    }
    bot.write_settings(&good);
    bot.says(room, "hello");
    assert_eq!(bot.answers(room, 1).await, ["You said: hello"]);
    bot.finish().await;
}

#[tokio::test]
async fn settings_are_read_again_from_the_dashboard() {
    let mut bot = watched(Setup::on(Site::Telegram)).start().await;
    let watch = Watch::on(&bot);
    let (_, page) = watch.get("/settings?scope=bot").await;
    assert!(
        page.contains("action=\"/reload\"") && page.contains("Read it again"),
        "{page}"
    );
    bot.configure("engine.max_iterations", 7);
    bot.configure("log.format", "json");
    let (status, page) = watch.submit("/reload").await;
    assert_eq!(status, 200, "{page}");
    for part in [
        "Takes effect now",
        "engine.max_iterations",
        "Takes effect after a restart",
        "log.format",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    bot.has_logged(IN_FORCE, 1).await;
    bot.configure("engine.max_iterations", 0);
    let (status, page) = watch.submit("/reload").await;
    assert_eq!(status, 422, "{page}");
    assert!(
        page.contains("engine.max_iterations") && page.contains("The configuration is wrong"),
        "{page}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn what_only_fails_once_the_old_is_gone_brings_the_old_settings_back() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    // A database that another Clifford has: that is known only by trying to work with it.
    let mut other = Setup::on(Site::Telegram).start().await;
    let taken = other.settings().parse::<toml::Table>().unwrap()["database"]["url"].clone();
    bot.configure("database.url", taken);
    bot.reload().await;
    bot.has_logged("restored the old ones", 1).await;
    bot.says(room, "hello");
    assert_eq!(bot.answers(room, 1).await, ["You said: hello"]);
    other.finish().await;
    bot.finish().await;
}

#[tokio::test]
async fn a_rule_that_is_new_is_in_force_after_a_reload() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.model.respond_with(|request| {
        let called = (request.messages().iter()).any(|message| message["role"] == "assistant");
        Reply::json(&if called {
            json!({ "type": "finish", "output": "done" })
        } else {
            json!({ "type": "tool_call", "name": "compute.eval", "args": { "expression": "1 + 1" }, "notes": [
                { "category": "requirements", "content": "a sum" },
                { "category": "plan", "content": "compute it" },
            ] })
        })
    });
    bot.says(room, "one and one");
    assert_eq!(bot.answers(room, 1).await, ["done"]);
    let rule = toml::Table::from_iter([
        ("name".to_owned(), "no computing".into()),
        ("tools".to_owned(), vec!["compute"].into()),
        ("action".to_owned(), "deny".into()),
    ]);
    bot.configure("policies", toml::Value::Array(vec![rule.into()]));
    bot.reload().await;
    bot.has_logged(IN_FORCE, 1).await;
    bot.says(room, "once more");
    bot.answers(room, 2).await;
    let computed = "SELECT COUNT(*) FROM run_steps WHERE type = 'tool_result' AND status = 'success'";
    assert_eq!(bot.look().await.number(computed).await, 1);
    bot.finish().await;
}

#[tokio::test]
async fn reloads_in_a_row_and_a_stop_in_the_middle_of_one_are_well() {
    let mut bot = Setup::on(Site::Telegram)
        .set("engine.shutdown_seconds", 2)
        .start()
        .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.configure("engine.max_iterations", 7);
    bot.reload().await;
    bot.configure("engine.max_iterations", 8);
    bot.reload().await;
    bot.reload().await;
    bot.has_logged(IN_FORCE, 1).await;
    bot.says(room, "one");
    bot.answers(room, 1).await;
    // A run that does not end, so that the reload takes its time.
    let hold = bot.model.hold();
    bot.says(room, "two");
    bot.model.wait_for_requests(2).await;
    let before = bot.logged("settings changed, draining work in flight");
    bot.configure("engine.max_iterations", 9);
    bot.reload().await;
    bot.has_logged("settings changed, draining work in flight", before + 1)
        .await;
    bot.terminate();
    assert!(bot.exited().await.success());
    assert_eq!(bot.logged("stopping, draining"), 1);
    hold.release();
    bot.start().await;
    assert_eq!(bot.answers(room, 2).await, ["You said: one", "You said: two"]);
    bot.finish().await;
    assert_eq!(bot.texts(room).len(), 2);
}

#[tokio::test]
async fn who_calls_the_api_in_the_middle_of_a_reload_waits_and_is_answered() {
    let api = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let setup = watched(Setup::on(Site::Telegram))
        .set("http.bind", api.to_string())
        .set("engine.shutdown_seconds", 2);
    let mut bot = setup.start().await;
    let client = reqwest::Client::builder()
        .no_proxy()
        .pool_max_idle_per_host(0)
        .build()
        .unwrap();
    for iterations in 7..10 {
        bot.configure("engine.max_iterations", iterations);
        let before = bot.logged(IN_FORCE);
        bot.reload().await;
        while bot.logged(IN_FORCE) == before {
            let answer = client
                .get(format!("http://{api}/readyz"))
                .bearer_auth(TOKEN)
                .send()
                .await
                .unwrap();
            assert!([200, 503].contains(&answer.status().as_u16()), "{answer:?}");
        }
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_platform_that_refuses_the_bot_for_a_moment_is_told_of_and_tried_again_at_once_after_a_reload() {
    let mut bot = watched(Setup::on(Site::Telegram)).start().await;
    let watch = Watch::on(&bot);
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "one");
    bot.answers(room, 1).await;
    // A proxy's page, and Telegram's own words: the poll that is under way brings a message, and the next ones fail.
    let telegram = &bot.telegram;
    telegram.fail_next(Method::GetUpdates, Fault::Refuse(404, "Not Found".to_owned()));
    telegram.fail_next(Method::GetMe, Fault::Refuse(401, "Unauthorized".to_owned()));
    bot.says(room, "two");
    bot.answers(room, 2).await;
    bot.has_logged("failed to connect to the platform", 1).await;
    let why = "Telegram does not know the bot (Not Found): set channels.telegram.token";
    let (status, alive) = watch.get("/healthz").await;
    assert_eq!(status, 200);
    assert!(
        alive.starts_with(&format!("ok\ntelegram is not connected: {why}")),
        "{alive}"
    );
    let (status, ready) = watch.get("/readyz").await;
    assert!(status == 503 && ready.contains(why), "{status} {ready}");
    bot.says(room, "three");
    // The first is refused again, the second is let in.
    bot.reload().await;
    bot.has_logged("failed to connect to the platform", 2).await;
    bot.reload().await;
    assert_eq!(
        bot.answers(room, 3).await,
        ["You said: one", "You said: two", "You said: three"]
    );
    assert_eq!(watch.get("/healthz").await, (200, "ok".to_owned()));
    assert_eq!(watch.ready().await.0, 200);
    bot.finish().await;
}

#[tokio::test]
async fn a_token_that_a_platform_does_not_know_is_logged_once_with_the_way_out() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).prepare().await;
        match site {
            Site::Discord => bot.discord.revoke_token(),
            _ => (bot.telegram).fail_next(Method::GetMe, Fault::Refuse(401, "Unauthorized".to_owned())),
        }
        bot.spawn(None);
        bot.has_logged("platform refuses the bot", 1).await;
        bot.stop().await;
        let setting = format!("channels.{}.token", site.name());
        let log = bot.log_text();
        let told = log.lines().filter(|line| {
            let is_seen = ["WARN", "ERROR"].iter().any(|level| line.contains(level));
            is_seen && line.contains(&setting)
        });
        assert_eq!(told.count(), 1, "{site:?}: {log}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_message_that_telegram_refuses_for_the_token_for_a_moment_is_sent_again() {
    for status in [401, 404] {
        let mut bot = Setup::on(Site::Telegram).start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        let words = if status == 401 { "Unauthorized" } else { "Not Found" };
        let refused = Fault::Refuse(status, words.to_owned());
        bot.telegram.fail_next(Method::SendMessage, refused);
        bot.says(room, "one");
        bot.says(room, "two");
        assert_eq!(
            bot.answers(room, 2).await,
            ["You said: one", "You said: two"],
            "{status}"
        );
        bot.finish().await;
    }
}
