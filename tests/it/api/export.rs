//! The export of a person's data, by the API.

use std::time::Duration;

use axum::{body::Body, http::Request};
use serde_json::Value;
use tower::ServiceExt;

use super::bot::{Bot, OWNER};

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_exported_as_json_lines_to_an_admin_alone() {
    let bot = Bot::start().await;
    let run = bot.ask("remember my qprivwort").await["run"].clone();
    let path = format!("/api/users/{}/export", run["userId"].as_str().unwrap());
    let answer = bot.get(&path).await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "application/jsonl")
    );
    assert!(
        answer
            .header("content-disposition")
            .starts_with("attachment; filename=\"clifford-export-")
    );
    let lines: Vec<Value> = answer
        .text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&lines[0]["type"], &lines[1]["id"]), (&"export".into(), &run["userId"]));
    assert!(answer.text.contains("qprivwort"));

    let reader = bot.token(&["read"]).await;
    let refused = bot
        .send(bot.request(reqwest::Method::GET, &path).bearer_auth(reader))
        .await;
    assert_eq!(refused.json()["code"], "missing_scope");
    let unknown = bot.get("/api/users/0198f2c4-0000-7000-8000-000000000000/export").await;
    assert_eq!(unknown.json()["code"], "not_found");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_that_nobody_reads_on_hold_nobody_up() {
    let bot = Bot::start().await;
    let run = bot.ask("hello").await["run"].clone();
    let path = format!("/api/users/{}/export", run["userId"].as_str().unwrap());
    let api = bot.app.local_api(clifford_vault::hash(OWNER));
    let ask = async |path: &str| {
        let request = Request::get(path).header("authorization", format!("Bearer {OWNER}"));
        let answer = api.clone().oneshot(request.body(Body::empty()).unwrap());
        tokio::time::timeout(Duration::from_secs(20), answer)
            .await
            .expect("it answers")
            .unwrap()
    };
    let mut unread = Vec::new();
    for _ in 0..32 {
        let answer = ask(&path).await;
        assert_eq!(answer.status(), 200);
        unread.push(answer);
    }
    assert_eq!(ask("/api/runs").await.status(), 200);
    // Each has the place of a stream.
    assert_eq!(ask(&path).await.status(), 429);
    drop(unread);
    assert_eq!(ask(&path).await.status(), 200);
    bot.app.shutdown().await;
}
