//! A person's last message, edited and answered anew; what they think of answers; and what they say aloud.

use clifford_fakes::openai::OpenAiFake;
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::Bot;
use crate::store::erasure::script;

/// Waits until a run has ended.
async fn ended(bot: &Bot, run: &str) -> Value {
    loop {
        let found = bot.get(&format!("/api/runs/{run}")).await.json();
        if ["completed", "failed", "cancelled"]
            .iter()
            .any(|ended| found["status"] == *ended)
        {
            return found;
        }
        tokio::task::yield_now().await;
    }
}

/// Edits a message, and waits for its answer.
async fn edit(bot: &Bot, message: &Value, text: &str) -> Value {
    let path = format!("/api/messages/{}", message.as_str().unwrap());
    let edited = bot.call(Method::PATCH, &path, &json!({ "content": text })).await;
    assert_eq!(edited.status, 202, "{}", edited.text);
    let edited = edited.json();
    assert_eq!(&edited["messageId"], message);
    ended(bot, edited["runId"].as_str().unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_message_is_edited_and_answered_anew_and_no_other() {
    let bot = Bot::start().await;
    let first = bot.ask("what is 6*7?").await;
    let run = edit(&bot, &first["messageId"], "what is 2+3?").await;
    assert_ne!(run["id"], first["runId"]);
    assert_eq!(
        (&run["status"], &run["inputText"]),
        (&json!("completed"), &json!("what is 2+3?"))
    );
    // The earlier answer is taken back; its run stays in the record.
    let said = bot.get("/api/messages").await.json();
    let said: Vec<_> = (said["items"].as_array().unwrap().iter())
        .map(|message| (message["content"].as_str().unwrap(), message["deletedAt"].is_string()))
        .collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].0.contains("2+3 = 5") && !said[0].1, "{said:?}");
    assert!(said[1].0.contains("6*7 = 42") && said[1].1, "{said:?}");
    assert_eq!(said[2], ("what is 2+3?", false));
    assert_eq!(
        ended(&bot, first["runId"].as_str().unwrap()).await["status"],
        "completed"
    );
    // A message that is taken back is found no more, and no prompt holds it.
    let context = run["contextId"].as_str().unwrap();
    let channel = run["channelId"].as_str().unwrap();
    let found = bot.get(&format!("/api/search?q=42&channelId={channel}")).await.json();
    assert_eq!(found["items"], json!([]));
    // The same text again: it is answered once more.
    let again = edit(&bot, &first["messageId"], "what is 2+3?").await;
    assert_ne!(again["id"], run["id"]);
    let second = bot
        .post(
            "/api/messages?wait=30",
            &json!({ "content": "hello", "contextId": context }),
        )
        .await;
    let second = second.json();
    let path = |message: &Value| format!("/api/messages/{}", message.as_str().unwrap());
    let late = bot
        .call(Method::PATCH, &path(&first["messageId"]), &json!({ "content": "x" }))
        .await;
    assert_eq!((late.status, late.json()["code"].clone()), (409, json!("wrong_state")));
    for body in [
        json!({ "content": " " }),
        json!({}),
        json!({ "content": "x", "runId": "y" }),
    ] {
        let wrong = bot.call(Method::PATCH, &path(&second["messageId"]), &body).await;
        assert_eq!(wrong.status, 422, "{body}: {}", wrong.text);
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_whose_answer_failed_is_sent_once_more() {
    let bot = Bot::start().await;
    let first = bot.ask("hello").await;
    let run = first["runId"].as_str().unwrap();
    let fails = format!("UPDATE runs SET status = 'failed', error = 'no model answers' WHERE id = '{run}'");
    script(&bot.app.db, &fails).await;
    let again = edit(&bot, &first["messageId"], "hello").await;
    assert_eq!(again["status"], "completed");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_liked_and_disliked_and_that_is_taken_back() {
    let bot = Bot::start().await;
    let run = bot.ask("what is 6*7?").await["runId"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/feedback");
    for verdict in ["liked", "disliked"] {
        let given = bot.call(Method::PUT, &path, &json!({ "verdict": verdict })).await;
        assert_eq!(given.status, 204, "{}", given.text);
        let found = bot.get("/api/feedback").await.json();
        let items = found["items"].as_array().unwrap();
        assert_eq!(items.len(), 1);
        let told = [&items[0]["runId"], &items[0]["verdict"], &items[0]["asked"]];
        assert_eq!(told, [&json!(run), &json!(verdict), &json!("what is 6*7?")]);
        assert!(items[0]["answered"].as_str().unwrap().contains("42"), "{found}");
    }
    for _ in 0..2 {
        assert_eq!(bot.call(Method::DELETE, &path, &Value::Null).await.status, 204);
        assert_eq!(bot.get("/api/feedback").await.json()["items"], json!([]));
    }
    let wrong = bot.call(Method::PUT, &path, &json!({ "verdict": "loved" })).await;
    assert_eq!(wrong.status, 422, "{}", wrong.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_models_that_may_be_chosen_are_listed() {
    let bot = Bot::start().await;
    let found = bot.get("/api/models").await.json();
    assert_eq!(found["items"], json!([{ "provider": "offline", "model": "offline" }]));
    bot.app.shutdown().await;
}

/// Uploads a file, and returns its id.
async fn upload(bot: &Bot, name: &str, content: Vec<u8>) -> String {
    let request = bot.request(Method::POST, &format!("/api/files?name={name}"));
    let request = request.bearer_auth(super::bot::OWNER).body(content);
    let kept = bot.send(request).await;
    assert_eq!(kept.status, 201, "{}", kept.text);
    kept.json()["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_caller_says_aloud_is_their_message() {
    let model = OpenAiFake::start().await;
    let url = model.base_url();
    let settings = [
        ("llm.roles.transcription.base_url", url.as_str()),
        ("llm.roles.transcription.minute_price", "0.6"),
    ];
    let bot = Bot::with(&settings).await;
    assert_eq!(bot.get("/api/me").await.json()["hears"], true);
    let voice = upload(&bot, "recording.ogg", b"OggS\0\x02\nwhat is 6*7?".to_vec()).await;
    let message = json!({ "content": "", "voice": { "fileId": voice, "seconds": 4 } });
    let said = bot.post("/api/messages?wait=30", &message).await;
    assert_eq!(said.status, 200, "{}", said.text);
    let said = said.json();
    assert!(said["messages"].to_string().contains("42"), "{said}");
    let asked = bot.get("/api/messages").await.json();
    assert_eq!(asked["items"][1]["content"], "[voice]\nSpoken: what is 6*7?");
    // Words that were spoken are no text to edit.
    let path = format!("/api/messages/{}", said["messageId"].as_str().unwrap());
    let edited = bot.call(Method::PATCH, &path, &json!({ "content": "x" })).await;
    assert_eq!(edited.status, 409, "{}", edited.text);
    let text = upload(&bot, "list.txt", b"quinces".to_vec()).await;
    for (body, field) in [
        (json!({ "content": "", "voice": { "fileId": text } }), "voice"),
        (json!({ "content": "", "voice": { "fileId": "none" } }), "voice"),
        (json!({ "content": "" }), "content"),
    ] {
        let wrong = bot.post("/api/messages", &body).await;
        assert_eq!(
            (wrong.status, wrong.json()["field"].clone()),
            (422, json!(field)),
            "{body}"
        );
    }
    bot.app.shutdown().await;
}
