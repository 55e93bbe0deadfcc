//! Pages that follow what happens: the stream that an open page listens to tells each kind of change, on both engines, and
//! also of what another process does.

use clifford_core::{id::MessageId, people::UserRole};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Browser, pages, person};
use crate::{
    api::bot::Bot,
    harness::migrated,
    sse::{Event, Sse},
    store::erasure::script,
};

/// A bot on SQLite, and two processes of one on PostgreSQL, where that is installed.
pub(super) async fn bots() -> Vec<(Bot, Option<Bot>)> {
    let mut bots = vec![(Bot::start().await, None)];
    let postgres = tokio::task::spawn_blocking(migrated).await.unwrap();
    if let Some(url) = postgres {
        let settings = [("database.url", url.as_str())];
        bots.push((Bot::with(&settings).await, Some(Bot::with(&settings).await)));
    }
    bots
}

/// The stream of a page that somebody has open, behind its first mark.
async fn open(bot: &Bot, reader: &Browser<'_>) -> Sse {
    let request = bot.request(Method::GET, "/api/events");
    let mut stream = Sse::open(request.header("cookie", &reader.cookie), None).await;
    assert_eq!(stream.next().await.unwrap().name, "mark");
    stream
}

/// Whether an event is of that name, and has that value in a field.
fn is(event: &Event, name: &str, field: &str, value: &Value) -> bool {
    event.name == name && event.data[field] == *value
}

/// A message of the bot in a conversation that could not be delivered.
async fn fail(bot: &Bot, channel: &Value) -> MessageId {
    let (id, at) = (MessageId::new(), bot.app.clock.now().0);
    let channel = channel.as_str().unwrap();
    script(
        &bot.app.db,
        &format!(
            "INSERT INTO messages (id, direction, channel_id, content, status, attempts, error, sent_at, created_at)
                 VALUES ('{id}', 'outbound', '{channel}', 'quinces are ripe', 'failed', 3, 'the chat is gone', {at}, {at});
             INSERT INTO message_parts (message_id, seq, delivery_key, body, status)
                 VALUES ('{id}', 1, 'k', '{{\"text\":\"quinces are ripe\"}}', 'failed')"
        ),
    )
    .await;
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_page_hears_of_an_answer_a_verdict_and_a_question_whichever_process_has_it() {
    for (acts, other) in bots().await {
        let shows = other.as_ref().unwrap_or(&acts);
        let owner = Browser::log_in(&acts, None).await;
        let mut page = open(shows, &owner).await;
        let run = json!(owner.says("what is 6*7?", "completed").await);
        let told = page
            .until("the end of the run", |event| {
                is(event, "run", "id", &run) && event.data["status"] == "completed"
            })
            .await;
        assert!(
            told.iter()
                .any(|event| is(event, "message", "direction", &json!("inbound"))),
            "{told:#?}"
        );

        let rate = format!("/runs/{}/rate", run.as_str().unwrap());
        for verdict in ["liked", "disliked"] {
            owner
                .does("/chat", &rate, &[("verdict", verdict), ("back", "/chat")])
                .await;
            page.until("the verdict", |event| {
                is(event, "feedback", "runId", &run) && event.data["verdict"] == verdict
            })
            .await;
        }

        owner.holds_calls_of("compute", "ask").await;
        let asking = json!(owner.says("what is 7*8?", "waiting").await);
        let is_asked =
            |event: &Event, pending: bool| is(event, "approval", "runId", &asking) && event.data["pending"] == pending;
        page.until("the question", |event| is_asked(event, true)).await;
        let confirm = format!("/runs/{}/confirm", asking.as_str().unwrap());
        owner
            .does("/", &confirm, &[("decision", "approve"), ("back", "/")])
            .await;
        page.until("its answer", |event| is_asked(event, false)).await;
        acts.app.shutdown().await;
        if let Some(other) = other {
            other.app.shutdown().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_page_hears_of_strangers_of_work_set_aside_and_of_answers_that_are_sent_again() {
    for (acts, other) in bots().await {
        let shows = other.as_ref().unwrap_or(&acts);
        let owner = Browser::log_in(&acts, None).await;
        let run = owner.says("what is 6*7?", "completed").await;
        let channel = owner.data(&format!("/api/runs/{run}")).await["channelId"].clone();
        let mut page = open(shows, &owner).await;

        person(&acts, "7", UserRole::Stranger).await;
        let far = i64::MAX / 2;
        script(
            &acts.app.db,
            &format!(
                "INSERT INTO pairings (platform, platform_user_id, name, code_hash, created_at, expires_at)
                     VALUES ('telegram', '7', 'Mia', 'x', 1, {far})"
            ),
        )
        .await;
        let asks = |event: &Event, pending: bool| {
            is(event, "pairing", "platformUserId", &json!("7")) && event.data["pending"] == pending
        };
        page.until("the stranger", |event| asks(event, true)).await;
        let answer = [
            ("platform", "telegram"),
            ("account", "7"),
            ("decision", "refuse"),
            ("back", "/"),
        ];
        owner.does("/", "/pairings", &answer).await;
        page.until("that she was refused", |event| asks(event, false)).await;

        script(
            &acts.app.db,
            "UPDATE runs SET status = 'failed', error = 'quarantined: 3 processes died of it', quarantined_at = 5",
        )
        .await;
        let is_aside = |event: &Event, pending: bool| {
            is(event, "quarantine", "id", &json!(run)) && event.data["pending"] == pending
        };
        page.until("the quarantine", |event| is_aside(event, true)).await;
        owner
            .does("/quarantine", &format!("/quarantine/{run}/forget"), &[])
            .await;
        page.until("its end", |event| is_aside(event, false)).await;

        let late = json!(fail(&acts, &channel).await.to_string());
        page.until("the message", |event| is(event, "message", "id", &late))
            .await;
        let again = format!("/outbox/{}/resend", late.as_str().unwrap());
        owner.does("/outbox", &again, &[]).await;
        page.until("that it is sent again", |event| is(event, "outbox", "id", &late))
            .await;
        acts.app.shutdown().await;
        if let Some(other) = other {
            other.app.shutdown().await;
        }
    }
}

/// The part of a page that follows what happens, by its id.
fn live_part<'a>(page: &'a str, id: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("id=\"{id}\" data-live"))
        .expect("the part is live");
    rest
}

#[tokio::test(flavor = "multi_thread")]
async fn the_figures_of_usage_follow_what_is_used() {
    for (acts, other) in bots().await {
        let shows = other.as_ref().unwrap_or(&acts);
        let owner = Browser::log_in(&acts, None).await;
        let looks = Browser::log_in(shows, None).await;
        let mut page = open(shows, &looks).await;
        let by_tool = looks.page("/usage?by=tool").await;
        assert!(
            live_part(&by_tool, "usage").contains("No tool was called in this time"),
            "{by_tool}"
        );
        for calls in 1..=2 {
            let run = json!(owner.says("what is 6*7?", "completed").await);
            page.until("the end of the run", |event| {
                is(event, "run", "id", &run) && event.data["status"] == "completed"
            })
            .await;
            let by_tool = looks.page("/usage?by=tool").await;
            let (_, row) = live_part(&by_tool, "usage").split_once("<tbody>").expect("a table");
            assert!(
                row.contains(&format!("data-label=\"Calls\"><data data-number>{calls}</data>")),
                "{row}"
            );
        }
        acts.app.shutdown().await;
        if let Some(other) = other {
            other.app.shutdown().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_that_shows_what_happens_has_a_part_that_follows_it() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    owner.says("hello", "completed").await;
    // Forms, references, and answers to what their reader asked for.
    let stands = [
        "/login",
        "/design",
        "/api/docs",
        "/search",
        "/settings",
        "/runs/compare",
    ];
    let mut seen = 0;
    for path in pages().into_iter().filter(|path| !stands.contains(&path.as_str())) {
        let page = owner.page(&path).await;
        assert!(page.contains(" data-live"), "{path}: {page}");
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
    // A conversation that begins, and somebody who writes for the first time, come into the lists of an open page.
    for path in ["/conversations", "/people"] {
        let page = owner.page(path).await;
        let part = live_part(&page, &path[1..]);
        assert!(part.contains("<table"), "{path}: {page}");
    }
    bot.app.shutdown().await;
}
