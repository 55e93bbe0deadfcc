//! Direct chat through the API: by the caller's wish, by the channel's setting, by the agent's.

use std::time::Duration;

use clifford_core::{
    id::{ContextId, WorkerId},
    places::Mode,
};
use clifford_store::runs::{self, NewRun};
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::Bot;

const PLAIN: &str = "I'm only a few rules; give me a model";
/// A question that needs a tool, and so tells a chat from a run.
const QUESTION: &str = "what is 17 * 23?";

async fn asked(bot: &Bot, body: Value) -> Value {
    let answer = bot.post("/api/messages?wait=30", &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

/// Whether a run was a chat, by its mode and by what it said.
fn is_chat(answer: &Value) -> bool {
    let text = answer["messages"][0].as_str().unwrap();
    let chat = answer["run"]["mode"] == "chat";
    assert_eq!(text.starts_with(PLAIN), chat, "{answer}");
    assert_eq!(text.contains("391"), !chat, "{answer}");
    chat
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_says_how_a_message_is_answered_and_else_its_channel_and_agent_do() {
    let bot = Bot::start().await;
    let ask = async |mode: Option<&str>| {
        let mut body = json!({ "content": QUESTION });
        if let Some(mode) = mode {
            body["mode"] = mode.into();
        }
        asked(&bot, body).await
    };
    let first = ask(None).await;
    assert!(!is_chat(&first));
    assert!(is_chat(&ask(Some("chat")).await));
    assert!(!is_chat(&ask(Some("run")).await));

    let channel = format!("/api/channels/{}", first["run"]["channelId"].as_str().unwrap());
    let changed = bot.call(Method::PATCH, &channel, &json!({ "mode": "chat" })).await;
    assert_eq!((changed.status, changed.json()["mode"].clone()), (200, json!("chat")));
    assert!(is_chat(&ask(None).await));
    assert!(!is_chat(&ask(Some("run")).await));
    bot.call(Method::PATCH, &channel, &json!({ "mode": "run" })).await;
    assert!(!is_chat(&ask(None).await));

    let agent = format!("/api/agents/{}", first["run"]["agentId"].as_str().unwrap());
    let changed = bot.call(Method::PATCH, &agent, &json!({ "mode": "chat" })).await;
    assert_eq!(
        (
            changed.status,
            changed.json()["mode"].clone(),
            changed.json()["enabled"].clone()
        ),
        (200, json!("chat"), json!(true))
    );
    assert!(is_chat(&ask(None).await));
    let wrong = bot.call(Method::PATCH, &agent, &json!({ "mode": "shout" })).await;
    assert_eq!((wrong.status, wrong.json()["field"].clone()), (422, json!("mode")));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_a_chat_says_who_made_it_and_what_it_answers() {
    let bot = Bot::with(&[("agent.mode", "chat")]).await;
    let answer = bot.ask("hi").await;
    let listed = bot.get("/api/messages?limit=1").await.json();
    let last = &listed["items"][0];
    assert_eq!(
        (&last["direction"], &last["runId"], &last["metadata"]),
        (
            &json!("outbound"),
            &answer["runId"],
            &json!({"provider": "offline", "model": "rules", "replyTo": answer["messageId"]})
        )
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_keeps_how_it_is_to_be_answered() {
    let bot = Bot::start().await;
    for (wish, expected) in [(Some("chat"), Mode::Chat), (None, Mode::Run)] {
        let first = bot.ask("hi").await;
        let context: ContextId = first["run"]["contextId"].as_str().unwrap().parse().unwrap();
        let before = bot
            .app
            .runs
            .wait_for_end(first["runId"].as_str().unwrap().parse().unwrap(), Duration::ZERO);
        let before = before.await.unwrap();
        // Somebody else is at work in the conversation, by the other mode.
        let mode = if expected == Mode::Run { Mode::Chat } else { Mode::Run };
        let other = NewRun {
            channel_id: before.channel_id,
            user_id: before.user_id,
            context_id: Some(context),
            address: before.address().cloned(),
            lease: Some((WorkerId::new(), bot.app.clock.now().after(Duration::from_secs(600)))),
            ..NewRun::of(before.agent_id, mode, "hold on")
        };
        let (busy, now) = (other.id, bot.app.clock.now());
        bot.app
            .db
            .write(move |tx| Box::pin(async move { runs::insert(tx, &other, now).await }))
            .await
            .unwrap();
        let mut body = json!({ "content": QUESTION });
        if let Some(wish) = wish {
            body["mode"] = wish.into();
        }
        let stored = bot.post("/api/messages", &body).await.json();
        assert_eq!((&stored["status"], &stored["runId"]), (&json!("queued"), &Value::Null));
        bot.app.runs.cancel(busy).await.unwrap();
        let page = bot.get("/api/messages?limit=200").await.json();
        let message = page["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["id"] == stored["messageId"])
            .unwrap();
        let run = message["runId"].as_str().unwrap().parse().unwrap();
        let run = bot.app.runs.wait_for_end(run, Duration::from_secs(30)).await.unwrap();
        assert_eq!(run.mode, expected);
        assert_eq!(run.output_text.unwrap().starts_with(PLAIN), expected == Mode::Chat);
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_may_answer_another_of_its_channel() {
    let bot = Bot::start().await;
    let first = asked(&bot, json!({ "content": QUESTION })).await;
    let run = first["run"]["id"].as_str().unwrap();
    let listed = bot.get("/api/messages?limit=1").await.json();
    assert_eq!(listed["items"][0]["direction"], "outbound");
    let input = async |answered: &Value| {
        let answer = asked(&bot, json!({ "content": "why?", "replyTo": answered })).await;
        answer["run"]["inputText"].as_str().unwrap().to_owned()
    };
    let why = input(&listed["items"][0]["id"]).await;
    let begins = format!("In reply to your own message (run {run}): \"");
    assert!(
        why.starts_with(&begins) && why.contains("391") && why.ends_with("\nwhy?"),
        "{why}"
    );
    assert_eq!(
        input(&first["messageId"]).await,
        format!("In reply to their own message: \"{QUESTION}\"\nwhy?")
    );
    let unknown = bot
        .post("/api/messages", &json!({ "content": "why?", "replyTo": run }))
        .await;
    assert_eq!(
        (unknown.status, unknown.json()["field"].clone()),
        (422, json!("replyTo"))
    );
    bot.app.shutdown().await;
}
