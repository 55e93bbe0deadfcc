//! A caller takes back what was set for them.

use reqwest::Method;
use serde_json::json;

use super::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_set_is_undone_once() {
    let bot = Bot::start().await;
    let answer = bot
        .post(
            "/api/messages?wait=30",
            &json!({ "content": "remind me tomorrow at 8 to stretch" }),
        )
        .await
        .json();
    let set = async || bot.get("/api/triggers").await.json()["items"].as_array().unwrap().len();
    assert_eq!(set().await, 1, "{answer}");
    let path = format!("/api/runs/{}/undo", answer["run"]["id"].as_str().unwrap());
    let undone = bot.post(&path, &json!({})).await;
    assert_eq!(
        (undone.status, undone.json()),
        (
            200,
            json!({ "undone": ["the reminder “stretch” is removed"], "kept": [] })
        )
    );
    assert_eq!(set().await, 0);
    let again = bot.post(&path, &json!({})).await;
    assert_eq!(again.status, 409);
    assert!(again.text.contains("That was undone already."), "{}", again.text);
    let nothing = bot.ask("hello").await["run"]["id"].as_str().unwrap().to_owned();
    let refused = bot
        .call(Method::POST, &format!("/api/runs/{nothing}/undo"), &json!({}))
        .await;
    assert_eq!(refused.status, 409);
    assert!(refused.text.contains("There is nothing to undo."), "{}", refused.text);
    bot.app.shutdown().await;
}
