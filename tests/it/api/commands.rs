//! Commands through the API: carried out as in every chat, answered at once, and bounded by the token's rights.

use clifford_core::people::UserRole;
use clifford_store::people::users;
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Answer, Bot};
use crate::dashboard::{Browser, journeys::bots, person};

/// Sends a message by a token.
async fn by(bot: &Bot, token: &str, body: &Value) -> Answer {
    let request = bot.request(Method::POST, "/api/messages").bearer_auth(token);
    bot.send(request.json(body)).await
}

/// Sends a command as the operator, who may give it. Its answer.
async fn give(bot: &Bot, text: &str) -> Value {
    let answer = bot.post("/api/messages", &json!({ "content": text })).await;
    assert_eq!(answer.status, 200, "{text}: {}", answer.text);
    let answer = answer.json();
    assert_eq!(
        (&answer["status"], &answer["runId"], answer.get("run")),
        (&json!("answered"), &Value::Null, None),
        "{answer}"
    );
    answer
}

fn text(answer: &Value) -> &str {
    answer["messages"][0].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_answered_at_once_and_is_no_part_of_a_conversation() {
    for bot in bots().await {
        let help = give(&bot, "/help").await;
        assert!(text(&help).contains("/help"), "{help}");
        let begun = give(&bot, "/new Trip to Rome").await;
        assert_eq!(text(&begun), "A new conversation: **Trip to Rome**.");
        let asked = bot.ask("what is 6*7?").await;
        let context = asked["run"]["contextId"].as_str().unwrap().to_owned();
        let path = format!("/api/contexts/{context}");
        assert_eq!(bot.get(&path).await.json()["name"], "Trip to Rome");
        // With `wait`, too.
        let waited = bot
            .post("/api/messages?wait=30", &json!({ "content": "/contexts" }))
            .await;
        assert!(
            waited.status == 200 && waited.json()["status"] == "answered",
            "{}",
            waited.text
        );
        let said = bot.get(&format!("/api/messages?contextId={context}")).await.json();
        assert_eq!(said["items"].as_array().unwrap().len(), 2, "{said}");
        let all = bot.get("/api/messages?limit=50").await.json();
        let aside: Vec<_> = (all["items"].as_array().unwrap().iter())
            .filter(|message| message["contextId"].is_null())
            .map(|message| {
                (
                    message["direction"].as_str().unwrap(),
                    &message["id"],
                    &message["metadata"],
                )
            })
            .collect();
        assert_eq!(aside.len(), 6, "{all}");
        assert_eq!((aside[5].0, aside[5].1), ("inbound", &help["messageId"]));
        assert_eq!((aside[4].0, &aside[4].2["answers"]), ("outbound", &help["messageId"]));
        // It closes the conversation that it names.
        let close = json!({ "content": "/close", "contextId": context });
        let closed = bot.post("/api/messages", &close).await;
        assert_eq!(closed.status, 200, "{}", closed.text);
        assert!(bot.get(&path).await.json()["closedAt"].is_string());
        let unknown = json!({ "content": "/close", "contextId": help["messageId"] });
        assert_eq!(bot.post("/api/messages", &unknown).await.status, 404);
        assert_eq!(bot.get("/api/runs").await.json()["items"].as_array().unwrap().len(), 1);
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_command_under_the_same_key_is_carried_out_once() {
    for bot in bots().await {
        let send = async |content: &str, key: &str| {
            let body = json!({ "content": content, "idempotencyKey": key });
            bot.post("/api/messages", &body).await
        };
        let first = send("/new Trip", "a").await;
        let again = send("/new Trip", "a").await;
        assert_eq!((first.status, again.status), (200, 200), "{}", again.text);
        assert_eq!(first.json(), again.json());
        let listed = bot.get("/api/contexts").await.json();
        assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
        // Another content under a key of a command, and a command under a key of another content.
        for (content, key) in [("/new Journey", "a"), ("hello", "a"), ("hello", "b"), ("/help", "b")] {
            let answer = send(content, key).await;
            match (content, key) {
                ("hello", "b") => assert_eq!(answer.status, 202, "{}", answer.text),
                _ => assert_eq!(
                    (answer.status, &answer.json()["code"]),
                    (422, &json!("key_reused")),
                    "{content} {key}"
                ),
            }
        }
        let listed = bot.get("/api/contexts").await.json();
        assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn any_other_text_that_begins_with_a_slash_is_a_text() {
    let bot = Bot::start().await;
    for (body, asked) in [
        (
            json!({ "content": "/deploy failed on web-3" }),
            "/deploy failed on web-3",
        ),
        (json!({ "content": "/help", "mode": "run" }), "/help"),
        (json!({ "content": "/ask what is 6*7?" }), "what is 6*7?"),
    ] {
        let answer = bot.post("/api/messages?wait=30", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.json()["run"]["inputText"], asked);
    }
    // A client of OpenAI's API has commands of its own.
    let asks = json!({ "model": "clifford", "messages": [{ "role": "user", "content": "/help" }] });
    let completion = bot.post("/v1/chat/completions", &asks).await;
    assert_eq!(completion.status, 200, "{}", completion.text);
    assert_eq!(bot.get("/api/runs").await.json()["items"][0]["inputText"], "/help");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_does_no_more_than_its_token_may() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let eve = person(&bot, "Eve", UserRole::Owner).await;
    bot.token_of(ada, "adas", &["write"]).await;
    bot.token_of(ada, "adas-eyes", &["read"]).await;
    bot.token_of(eve, "eves", &["write"]).await;
    let operator = bot.token(&["write"]).await;
    let cases: [(&str, &[(&str, u16)]); 4] = [
        ("adas-eyes", &[("/help", 403)]),
        (
            "adas",
            &[
                ("/help", 200),
                ("/settings language de", 200),
                ("/link", 200),
                ("/pair", 403),
                ("/dashboard", 403),
            ],
        ),
        ("eves", &[("/settings", 200), ("/pair", 403), ("/dashboard", 403)]),
        (
            &operator,
            &[
                ("/help", 200),
                ("/settings", 200),
                ("/settings language de", 403),
                ("/link", 403),
                ("/erase", 403),
                ("/key set openai sk-abc", 403),
                ("/dashboard", 403),
            ],
        ),
    ];
    for (token, commands) in cases {
        for (command, status) in commands {
            let answer = by(&bot, token, &json!({ "content": command })).await;
            assert_eq!(answer.status, *status, "{token} {command}: {}", answer.text);
        }
    }
    let in_german = by(&bot, "adas", &json!({ "content": "/stop" })).await.json();
    assert_eq!(text(&in_german), "Es gibt nichts anzuhalten.");
    // Nobody ends what is done for somebody else.
    let sleeper = bot.sleeper().await;
    let stop = json!({ "content": format!("/stop {sleeper}") });
    let refused = by(&bot, "adas", &stop).await;
    assert_eq!(refused.status, 200, "{}", refused.text);
    assert_eq!(
        text(&refused.json()),
        "Das kann nur anhalten, wer darum gebeten hat oder diesen Ort verwaltet."
    );
    assert_eq!(
        bot.get(&format!("/api/runs/{sleeper}")).await.json()["status"],
        "waiting"
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_pressed_is_sent_as_a_message() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    bot.token_of(ada, "adas", &["write"]).await;
    let asked = by(&bot, "adas", &json!({ "content": "/erase" })).await.json();
    let button = &asked["buttons"][0];
    assert_eq!(button["label"], "Delete everything");
    let command = button["command"].as_str().unwrap();
    assert!(command.starts_with("/erase yes "), "{asked}");
    let erased = by(&bot, "adas", &json!({ "content": command })).await.json();
    assert!(
        text(&erased).starts_with("Everything that I have of you is being deleted"),
        "{erased}"
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_sends_too_many_commands_is_told_when_to_go_on_and_can_always_stop() {
    let bot = Bot::with(&[("ingress.user_messages_per_minute", "2")]).await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    bot.token_of(ada, "adas", &["write"]).await;
    let mut statuses = Vec::new();
    for command in ["/help", "/whoami", "/help", "/stop"] {
        let answer = by(&bot, "adas", &json!({ "content": command })).await;
        statuses.push(answer.status);
        if answer.status == 429 {
            assert!(answer.header("retry-after").parse::<u64>().is_ok());
        }
    }
    assert_eq!(statuses, [200, 200, 429, 200]);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_by_the_api_is_taken_back_in_a_chat_unless_it_was_changed_since() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    bot.token_of(ada, "adas", &["read", "write"]).await;
    let setting = format!("/api/settings/user:{ada}/time_zone");
    let give = async |text_of: &str| {
        let answer = by(&bot, "adas", &json!({ "content": text_of })).await;
        assert_eq!(answer.status, 200, "{text_of}: {}", answer.text);
        text(&answer.json()).to_owned()
    };
    let value = async || bot.get(&setting).await.json()["value"].clone();
    give("/settings time_zone Europe/Berlin").await;
    let put = bot
        .call(Method::PUT, &setting, &json!({ "value": "Europe/Paris" }))
        .await;
    assert_eq!(put.status, 200, "{}", put.text);
    let told = give("/settings undo").await;
    assert!(
        told.contains("Europe/Berlin") && told.contains("Europe/Paris"),
        "{told}"
    );
    assert_eq!(value().await, "Europe/Berlin");

    // By another way, which leaves no trace.
    let now = bot.app.clock.now();
    let write = bot.app.db.write(move |tx| {
        let change = users::Change {
            time_zone: Some(Some("Asia/Tokyo".to_owned())),
            ..users::Change::default()
        };
        Box::pin(async move { users::change(tx, ada, &change, now).await })
    });
    write.await.unwrap();
    let told = give("/settings undo").await;
    assert!(told.starts_with("`time_zone` was changed again since"), "{told}");
    assert_eq!(value().await, "Asia/Tokyo");
    assert_eq!(give("/settings undo").await, "There is no change to take back here.");

    let unset = bot.call(Method::DELETE, &setting, &json!({})).await;
    assert_eq!(unset.status, 204, "{}", unset.text);
    give("/settings undo").await;
    assert_eq!(value().await, "Asia/Tokyo");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_parts_their_account_of_the_dashboard_is_told_that_they_stay_logged_in() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        // Her browser has an account of its own with its first word.
        browser.says("hello", "completed").await;
        let answer = async |text: &str| {
            browser.does("/chat", "/chat", &[("content", text)]).await;
            let said = browser.data("/api/messages?limit=50").await;
            let answer = (said["items"].as_array().unwrap().iter()).find(|said| said["direction"] == "outbound");
            answer.unwrap()["content"].as_str().unwrap().to_owned()
        };
        let asked = answer("/unlink").await;
        assert!(
            asked.contains("The login or token that you are using stays") && !asked.contains("ends logins"),
            "{asked}"
        );
        let (_, code) = asked.split_once("`/unlink yes ").expect("a code");
        let code = code.split('`').next().unwrap();
        let parted = answer(&format!("/unlink yes {code}")).await;
        assert!(
            parted.starts_with("Separated.") && parted.contains("that you are using stays, and is the new person's"),
            "{parted}"
        );
        let me = browser.data("/api/me").await;
        assert!(me["userId"] != json!(ada) && me["sessionId"].is_string(), "{me}");
        bot.app.shutdown().await;
    }
}
