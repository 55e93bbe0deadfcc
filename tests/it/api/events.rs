//! Everything that a caller may see, as it happens.

use clifford_core::people::UserRole;
use clifford_fakes::discord::DiscordFake;
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Bot, OWNER};
use crate::{
    sse::{Event, Sse},
    store::erasure::script,
};

async fn open(bot: &Bot, token: &str, after: Option<&str>) -> Sse {
    let request = bot.request(Method::GET, "/api/events").bearer_auth(token);
    Sse::open(request, after).await
}

/// The stream behind its first mark: what happens from now on is told.
async fn opened(bot: &Bot, token: &str) -> (Sse, Event) {
    let mut stream = open(bot, token, None).await;
    let mark = stream.next().await.unwrap();
    assert_eq!(mark.name, "mark");
    assert!(mark.data["at"].is_string());
    (stream, mark)
}

fn is_done(event: &Event, run: &Value) -> bool {
    event.name == "run" && event.data["id"] == *run && event.data["status"] == "completed"
}

/// The messages and runs of events, as often as they were told.
fn told(events: &[Event]) -> Vec<(String, String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let known = events
        .iter()
        .filter(|event| event.name != "mark" && event.name != "connection");
    known
        .map(|event| (event.name.clone(), word(&event.data["id"]), word(&event.data["status"])))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_its_run_and_its_answer_are_told_and_a_reader_goes_on_where_it_was() {
    let bot = Bot::start().await;
    let (mut stream, mark) = opened(&bot, OWNER).await;
    let said = bot.ask("what is 17 * 23?").await;
    let events = stream
        .until("the end of the run", |event| is_done(event, &said["runId"]))
        .await;
    let asked = events
        .iter()
        .find(|event| event.name == "message" && event.data["direction"] == "inbound")
        .unwrap();
    assert_eq!(
        (&asked.data["id"], &asked.data["runId"]),
        (&said["messageId"], &said["runId"])
    );
    let run = events.last().unwrap();
    assert_eq!(run.data["userId"], said["run"]["userId"]);
    // Ids and states, and no words.
    assert!(!format!("{events:?}").contains("17 * 23"), "{events:?}");

    // In the journal of this process it goes on exactly behind any of them.
    let all: Vec<_> = std::iter::once(&mark).chain(&events).collect();
    for (place, event) in all.iter().enumerate().take(all.len() - 1) {
        let mut again = open(&bot, OWNER, event.id.as_deref()).await;
        let rest = again
            .until("the end of the run", |event| is_done(event, &said["runId"]))
            .await;
        assert_eq!(rest, events[place..]);
    }
    // From the rows, what stands otherwise since is told once.
    let old = mark.id.clone().unwrap();
    let moment = old.split('-').next().unwrap();
    let mut again = open(&bot, OWNER, Some(&format!("{moment}-elsewhere-1-0"))).await;
    let rest = again.until("a mark", |event| event.name == "mark").await;
    let told = told(&rest);
    assert!(told.contains(&(
        "run".to_owned(),
        run.data["id"].as_str().unwrap().to_owned(),
        "completed".to_owned()
    )));
    assert_eq!(
        told.iter().filter(|(name, ..)| name == "message").count(),
        2,
        "{told:?}"
    );
    let live = bot.ask("and 2 + 2?").await;
    again
        .until("the next run", |event| is_done(event, &live["runId"]))
        .await;
    // Events of too long ago are not told.
    let mut late = open(&bot, OWNER, Some("5-elsewhere-1-0")).await;
    assert_eq!(late.next().await.unwrap().name, "reset");
    let wrong = bot.request(Method::GET, "/api/events").bearer_auth(OWNER);
    let wrong = bot.send(wrong.header("last-event-id", "seven")).await;
    assert_eq!(
        (wrong.status, wrong.json()["field"].clone()),
        (400, json!("Last-Event-ID"))
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_told_what_is_theirs_and_an_owner_everything() {
    let bot = Bot::start().await;
    let ada = bot.member("1", UserRole::Member).await;
    let bob = bot.member("2", UserRole::Member).await;
    bot.token_of(ada, "adas", &["read", "write"]).await;
    bot.token_of(bob, "bobs", &["read", "write"]).await;
    let (mut adas, _) = opened(&bot, "adas").await;
    let (mut owners, _) = opened(&bot, OWNER).await;
    let ask = async |token: &str| {
        let body = json!({ "content": "hello" });
        let request = bot.request(Method::POST, "/api/messages?wait=30").bearer_auth(token);
        bot.send(request.json(&body)).await.json()
    };
    let bobs = ask("bobs").await;
    // Work is set aside: that is the owner's to know.
    script(
        &bot.app.db,
        "INSERT INTO inbound_attempts (id, platform, deaths, quarantined_at, updated_at)
         VALUES ('an-event', 'telegram', 3, 5, 5)",
    )
    .await;
    let quarantined = owners.until("the quarantine", |event| event.name == "quarantine").await;
    assert_eq!(
        quarantined.last().unwrap().data,
        json!({ "kind": "event", "id": "an-event", "pending": true })
    );
    assert!(quarantined.iter().any(|event| is_done(event, &bobs["runId"])));
    script(&bot.app.db, "DELETE FROM inbound_attempts").await;
    let over = owners.until("its end", |event| event.name == "quarantine").await;
    assert_eq!(over.last().unwrap().data["pending"], false);

    let hers = ask("adas").await;
    let seen = adas.until("her run", |event| is_done(event, &hers["runId"])).await;
    let run = &seen.last().unwrap().data;
    assert_eq!(run["userId"], json!(ada.to_string()));
    for event in &seen {
        assert!(matches!(event.name.as_str(), "run" | "message" | "outbox"), "{event:?}");
        assert_eq!(event.data["channelId"], run["channelId"], "{event:?}");
    }
    // Bob's token reads nothing of hers, and one that may not read opens no stream.
    let mut again = open(&bot, "bobs", Some("0-elsewhere-1-0")).await;
    assert_eq!(again.next().await.unwrap().name, "reset");
    let writes = bot.token(&["write"]).await;
    let refused = bot.request(Method::GET, "/api/events").bearer_auth(&writes);
    assert_eq!(bot.send(refused).await.status, 403);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_and_its_answer_are_told() {
    let bot = Bot::start().await;
    let run = bot.sleeper().await;
    let (mut stream, _) = opened(&bot, OWNER).await;
    let asks = |reason: &str| {
        let at = bot.app.clock.now().0;
        format!("UPDATE runs SET wake_reason = '{reason}', updated_at = {at} WHERE id = '{run}'")
    };
    script(&bot.app.db, &asks("tool_confirm")).await;
    for (reason, pending) in [("tool_confirm", true), ("tool_confirmed", false)] {
        script(&bot.app.db, &asks(reason)).await;
        let events = stream.until("the question", |event| event.name == "approval").await;
        assert_eq!(events.last().unwrap().data, json!({ "runId": run, "pending": pending }));
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_made_lost_and_back_is_told_to_owners_and_to_nobody_else() {
    let discord = DiscordFake::start().await;
    discord.gateway_open(false);
    let url = discord.api_url();
    let bot = Bot::connected(&[
        ("channels.discord.api_url", url.as_str()),
        ("channels.discord.token", DiscordFake::TOKEN),
    ])
    .await;
    let ada = bot.member("1", UserRole::Member).await;
    bot.token_of(ada, "adas", &["read", "write"]).await;
    bot.token_of(bot.member("2", UserRole::Owner).await, "bobs", &["read"])
        .await;
    let (mut adas, _) = opened(&bot, "adas").await;
    let mut told_all = Vec::new();
    for token in [OWNER, "bobs"] {
        told_all.push(opened(&bot, token).await.0);
    }
    for (open, state) in [(true, "connected"), (false, "disconnected"), (true, "connected")] {
        discord.gateway_open(open);
        if !open {
            discord.disconnect();
        }
        for stream in &mut told_all {
            let told = stream
                .until(state, |event| {
                    event.name == "connection" && event.data["state"] == state
                })
                .await;
            let event = &told.last().unwrap().data;
            assert_eq!(event["platform"], "discord");
            // Why it is down, without the secret.
            assert_eq!(event["detail"].is_string(), !open, "{event}");
            assert!(!event.to_string().contains(DiscordFake::TOKEN), "{event}");
        }
    }
    // A reader who comes later is told how it stands only by its list.
    let (mut later, mark) = opened(&bot, OWNER).await;
    let body = json!({ "content": "hello" });
    let request = bot.request(Method::POST, "/api/messages?wait=30").bearer_auth("adas");
    let hers = bot.send(request.json(&body)).await.json();
    for stream in [&mut adas, &mut later] {
        let seen = stream.until("her run", |event| is_done(event, &hers["runId"])).await;
        assert!(seen.iter().all(|event| event.name != "connection"), "{seen:?}");
    }
    // One that goes on from another process is told how it stands now.
    let moment = mark.id.as_deref().unwrap().split('-').next().unwrap().to_owned();
    let mut again = open(&bot, OWNER, Some(&format!("{moment}-elsewhere-1-0"))).await;
    let rest = again.until("a mark", |event| event.name == "mark").await;
    let stands = rest.iter().find(|event| event.name == "connection").unwrap();
    assert_eq!(stands.data["state"], "connected", "{rest:?}");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_readers_are_told_by_one_look() {
    let bot = Bot::with(&[("http.max_streams_per_token", "1000"), ("http.max_connections", "2000")]).await;
    let mut streams = join_all((0..500).map(|_| opened(&bot, OWNER))).await;
    let said = bot.ask("hello").await;
    let run = &said["runId"];
    join_all(
        streams
            .iter_mut()
            .map(|(stream, _)| stream.until("the end of the run", |event| is_done(event, run))),
    )
    .await;
    bot.app.shutdown().await;
    // They end with the process.
    join_all(
        streams
            .iter_mut()
            .map(|(stream, _)| async { while stream.next().await.is_some() {} }),
    )
    .await;
}
