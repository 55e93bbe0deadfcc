//! The usage of models, and whether some provider is asked at all.

use serde_json::{Value, json};

use super::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn usage_is_summed_up_as_asked_and_what_cannot_be_is_named() {
    let bot = Bot::start().await;
    for text in ["hello", "what is 17 * 23?"] {
        let answer = bot.post("/api/messages?wait=30", &json!({ "content": text })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let runs = bot.get("/api/runs").await.json();
    let sum = |field: &str| -> i64 {
        let runs = runs["items"].as_array().unwrap().iter();
        runs.map(|run| run[field].as_i64().unwrap()).sum()
    };
    let calls = sum("llmCalls");
    let group = |key: Value, name: Value| {
        json!({
            "key": key, "name": name, "calls": calls, "promptTokens": sum("promptTokens"), "cachedTokens": 0,
            "completionTokens": sum("completionTokens"), "estimatedCalls": calls, "cost": 0.0,
            "ownKeyCalls": 0, "ownKeyCost": 0.0,
        })
    };
    let by_role = bot.get("/api/usage?by=role").await.json();
    assert_eq!(
        by_role,
        json!({"items": [group("executor".into(), Value::Null)], "next": null})
    );
    let by_user = bot.get("/api/usage?by=user&limit=1").await.json();
    let user = runs["items"][0]["userId"].clone();
    assert_eq!(by_user["items"], json!([group(user.clone(), "owner".into())]));
    let of_user = format!("/api/usage?by=role&userId={}", user.as_str().unwrap());
    assert_eq!(bot.get(&of_user).await.json(), by_role);
    assert_eq!(bot.get("/api/usage?by=role&days=1").await.json(), by_role);
    let none = bot.get("/api/usage?since=2999-01-01T00:00:00Z").await.json();
    assert_eq!(none, json!({"items": [], "next": null}));
    for (query, field) in [
        ("by=week", "by"),
        ("limit=0", "limit"),
        ("since=soon", "since"),
        ("days=0", "days"),
        ("days=7&since=2026-01-01T00:00:00Z", "days"),
    ] {
        let answer = bot.get(&format!("/api/usage?{query}")).await;
        assert_eq!(
            (answer.status, answer.json()["field"].as_str()),
            (400, Some(field)),
            "{}",
            answer.text
        );
    }
    let tools = bot.get("/api/usage/tools").await.json();
    let called = &tools["items"][0];
    assert_eq!(
        (&called["tool"], &called["calls"], &called["failures"], &called["cost"]),
        (&json!("compute.eval"), &json!(1), &json!(0), &json!(0.0)),
        "{tools}"
    );
    assert_eq!(tools["items"].as_array().map(Vec::len), Some(1));
    let of_user = format!("/api/usage/tools?userId={}", user.as_str().unwrap());
    assert_eq!(bot.get(&of_user).await.json(), tools);
    let none = bot.get("/api/usage/tools?since=2999-01-01T00:00:00Z").await.json();
    assert_eq!(none, json!({"items": [], "next": null}));
    let ready = bot.get("/readyz").await.json();
    assert_eq!(ready["checks"]["provider"], json!({"ok": true, "detail": "offline"}));
}
