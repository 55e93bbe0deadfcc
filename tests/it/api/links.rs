//! Linking accounts through the API.

use clifford_chat::platform::Platform;
use clifford_core::id::UserId;
use clifford_store::people::users;
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Answer, Bot};

/// The person of an API caller.
async fn user(bot: &Bot, account: &str) -> UserId {
    let mut conn = bot.app.db.read().await.unwrap();
    users::by_identity(&mut conn, Platform::WEB, account)
        .await
        .unwrap()
        .unwrap()
        .id
}

/// The owner's person, and that of another caller.
async fn two(bot: &Bot) -> (UserId, UserId) {
    bot.ask("hello").await;
    let token = bot.token(&["write"]).await;
    let body = json!({ "content": "hello" });
    let said = bot.request(Method::POST, "/api/messages?wait=30").bearer_auth(&token);
    assert_eq!(bot.send(said.json(&body)).await.status, 200);
    let channels = bot.get("/api/channels").await.json();
    let other = channels["items"][0]["externalId"].as_str().unwrap().to_owned();
    (user(bot, "api:owner").await, user(bot, &other).await)
}

async fn code_of(bot: &Bot, user: UserId) -> Value {
    let made = bot.post(&format!("/api/users/{user}/link-code"), &json!({})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.json()
}

async fn enter(bot: &Bot, user: UserId, code: &str) -> Answer {
    bot.post(&format!("/api/users/{user}/link"), &json!({ "code": code }))
        .await
}

fn problem(answer: &Answer) -> (u16, Value, Value) {
    let body = answer.json();
    (answer.status, body["code"].clone(), body["field"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_linked_by_a_code_that_is_good_once() {
    let bot = Bot::start().await;
    let (owner, other) = two(&bot).await;
    let code = code_of(&bot, owner).await;
    assert!(code["expiresAt"].as_str().unwrap().ends_with('Z'), "{code}");
    let code = code["code"].as_str().unwrap();
    assert_eq!(
        problem(&enter(&bot, owner, code).await),
        (409, json!("already_linked"), Value::Null)
    );
    let linked = enter(&bot, other, code).await;
    assert_eq!(linked.status, 200, "{}", linked.text);
    let linked = linked.json();
    assert_eq!(
        (linked["userId"].clone(), linked["accounts"].as_array().unwrap().len()),
        (json!(owner), 2)
    );
    assert_eq!(
        problem(&enter(&bot, owner, code).await),
        (422, json!("link_code_unknown"), json!("code"))
    );
    for path in ["link", "link-code"] {
        let gone = bot
            .post(&format!("/api/users/{other}/{path}"), &json!({ "code": code }))
            .await;
        assert_eq!(problem(&gone), (404, json!("not_found"), Value::Null));
    }
    // The other person's messages are the owner's now, and their runs go on.
    let runs = bot.get("/api/runs").await.json();
    let people: Vec<_> = runs["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["userId"])
        .collect();
    assert_eq!(people, [&json!(owner), &json!(owner)]);
    bot.ask("still there?").await;
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tries_are_counted_and_only_an_admin_links() {
    let bot = Bot::start().await;
    let (owner, other) = two(&bot).await;
    let token = bot.token(&["write", "read"]).await;
    for path in ["link", "link-code"] {
        let request = bot
            .request(Method::POST, &format!("/api/users/{owner}/{path}"))
            .bearer_auth(&token)
            .json(&json!({ "code": "ABCDEFGH" }));
        assert_eq!(
            problem(&bot.send(request).await),
            (403, json!("missing_scope"), Value::Null)
        );
    }
    assert_eq!(
        problem(&enter(&bot, other, " ").await),
        (422, json!("invalid_input"), json!("code"))
    );
    for _ in 0..5 {
        assert_eq!(
            problem(&enter(&bot, other, "ABCDEFGH").await),
            (422, json!("link_code_unknown"), json!("code"))
        );
    }
    let code = code_of(&bot, owner).await;
    let refused = enter(&bot, other, code["code"].as_str().unwrap()).await;
    assert_eq!(problem(&refused), (429, json!("too_many_tries"), Value::Null));
    bot.app.shutdown().await;
}
