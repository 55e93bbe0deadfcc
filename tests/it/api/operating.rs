//! The API for owners: pairing requests, undelivered messages, spaces, tokens.

use std::time::Duration;

use clifford_chat::platform::Platform;
use clifford_core::people::UserRole;
use clifford_store::people::pairings;
use reqwest::Method;
use serde_json::json;

use super::bot::{Bot, OWNER};
use crate::store::erasure::script;

#[tokio::test(flavor = "multi_thread")]
async fn people_who_ask_are_listed_and_each_is_refused_blocked_or_let_in() {
    let bot = Bot::start().await;
    let now = bot.app.clock.now();
    for account in ["7", "8", "9"] {
        bot.member(account, UserRole::Stranger).await;
        let until = now.after(Duration::from_secs(3600));
        let write = bot.app.db.write(move |tx| {
            let telegram = Platform::new("telegram");
            Box::pin(async move { pairings::put(tx, telegram, account, "Ada", account, now, until).await })
        });
        write.await.unwrap();
    }
    let waiting = async |query: &str| {
        let page = bot.get(&format!("/api/pairings{query}")).await.json();
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|one| one["platformUserId"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(waiting("").await, ["7", "8", "9"]);
    let decide = async |account: &str, decision: &str| {
        let body = json!({ "platform": "telegram", "platformUserId": account, "decision": decision });
        bot.post("/api/pairings/decide", &body).await.status
    };
    assert_eq!(decide("7", "refuse").await, 204);
    assert_eq!(decide("8", "block").await, 204);
    assert_eq!(waiting("").await, ["9"]);
    assert_eq!(waiting("?blocked=true").await, ["8"]);
    assert_eq!(decide("10", "approve").await, 404);
    assert_eq!(decide("9", "banish").await, 422);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_was_given_up_is_listed_with_its_reason_and_sent_again_or_not() {
    let bot = Bot::start().await;
    // On a platform that this bot is not on, so that nobody sends it.
    script(
        &bot.app.db,
        "INSERT INTO spaces (id, platform, external_id, name, created_at)
             VALUES ('00000000-0000-7000-8000-000000000005', 'telegram', '-5', 'Garden', 5);
         INSERT INTO channels (id, platform, external_id, kind, name, space_id, enabled, mode, config, last_message_at,
                               created_at, updated_at)
             VALUES ('00000000-0000-7000-8000-0000000000c1', 'telegram', '-5', 'group', 'Garden',
                     '00000000-0000-7000-8000-000000000005', TRUE, 'run', '{}', 9, 9, 9);
         INSERT INTO messages (id, direction, channel_id, content, status, attempts, error, sent_at, created_at)
             VALUES ('00000000-0000-7000-8000-000000000101', 'outbound', '00000000-0000-7000-8000-0000000000c1',
                     'hello', 'failed', 3, 'the chat is gone', 9, 9);
         INSERT INTO message_parts (message_id, seq, delivery_key, body, status)
             VALUES ('00000000-0000-7000-8000-000000000101', 1, 'k', '{\"text\":\"hello\"}', 'failed');",
    )
    .await;
    let space = bot.get("/api/spaces").await.json();
    assert_eq!(
        (&space["items"][0]["name"], &space["items"][0]["channels"]),
        (&json!("Garden"), &json!(1))
    );
    let failed = bot.get("/api/outbox?failed=true").await.json();
    let message = &failed["items"][0];
    assert_eq!(
        (&message["content"], &message["error"], &message["channelName"]),
        (&json!("hello"), &json!("the chat is gone"), &json!("Garden"))
    );
    let one = "/api/outbox/00000000-0000-7000-8000-000000000101";
    let give_up = async || bot.post(&format!("{one}/give-up"), &json!({})).await;
    let refused = give_up().await;
    assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("wrong_state")));
    assert_eq!(bot.post(&format!("{one}/resend"), &json!({})).await.status, 202);
    let waiting = bot.get("/api/outbox?failed=false").await.json();
    assert_eq!(waiting["items"][0]["status"], "pending");
    assert_eq!(give_up().await.status, 204);
    let failed = bot.get("/api/outbox?failed=true").await.json();
    assert_eq!(failed["items"][0]["error"], "given up by hand");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_is_good_no_more() {
    let bot = Bot::start().await;
    let token = bot.token(&["read"]).await;
    let status = async || {
        let request = bot.request(Method::GET, "/api/runs").bearer_auth(&token);
        bot.send(request).await.status
    };
    assert_eq!(status().await, 200);
    let listed = bot.get("/api/tokens").await.json();
    let known = &listed["items"][0];
    assert_eq!(
        (&known["name"], &known["scopes"], &known["revokedAt"]),
        (&json!("a caller"), &json!(["read"]), &json!(null))
    );
    assert!(known.get("tokenHash").is_none() && !listed.to_string().contains(&token));
    let one = format!("/api/tokens/{}", known["id"].as_str().unwrap());
    assert_eq!(bot.call(Method::DELETE, &one, &json!({})).await.status, 204);
    assert_eq!(status().await, 401);
    assert_eq!(bot.call(Method::DELETE, &one, &json!({})).await.status, 404);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_made_shown_once_and_may_do_no_more_than_its_maker() {
    let bot = Bot::start().await;
    let ada = bot.member("7", UserRole::Member).await;
    bot.token_of(ada, "hers", &["write"]).await;
    let make = async |token: &str, body: &serde_json::Value| {
        let request = bot.request(Method::POST, "/api/tokens").bearer_auth(token).json(body);
        bot.send(request).await
    };
    let made = make(
        OWNER,
        &json!({ "name": "laptop", "scopes": ["write", "read", "read"], "userId": ada }),
    )
    .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("clf_"), "{token}");
    assert_eq!(
        (&made["name"], &made["scopes"], &made["userId"]),
        (&json!("laptop"), &json!(["read", "write"]), &json!(ada))
    );
    let me = bot
        .send(bot.request(Method::GET, "/api/me").bearer_auth(token))
        .await
        .json();
    assert_eq!((&me["userId"], &me["role"]), (&json!(ada), &json!("person")));
    let listed = bot.get("/api/tokens").await;
    assert!(
        listed.text.contains("laptop") && !listed.text.contains(token),
        "{}",
        listed.text
    );

    // Ada's own token makes tokens of hers, of its own scopes, and none of the operator's.
    let own = make("hers", &json!({ "name": "phone", "scopes": ["write"] })).await;
    assert_eq!((own.status, &own.json()["userId"]), (201, &json!(ada)), "{}", own.text);
    for scope in ["read", "admin"] {
        let more = make("hers", &json!({ "name": "more", "scopes": [scope] })).await;
        assert_eq!(
            (more.status, &more.json()["code"]),
            (403, &json!("missing_scope")),
            "{scope}"
        );
    }
    for (body, status, field) in [
        (json!({ "name": " ", "scopes": ["read"] }), 422, "name"),
        (json!({ "name": "x", "scopes": [] }), 422, "scopes"),
        (json!({ "name": "x", "scopes": ["all"] }), 422, "scopes[0]"),
    ] {
        let refused = make(OWNER, &body).await;
        assert_eq!(
            (refused.status, &refused.json()["field"]),
            (status, &json!(field)),
            "{body}"
        );
    }
    let nobody = json!({ "name": "x", "scopes": ["read"], "userId": "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d" });
    assert_eq!(make(OWNER, &nobody).await.status, 404);
    for count in 0..48 {
        let one = make("hers", &json!({ "name": format!("{count}"), "scopes": ["write"] })).await;
        assert_eq!(one.status, if count < 47 { 201 } else { 409 }, "{count}: {}", one.text);
    }
    bot.app.shutdown().await;
}
