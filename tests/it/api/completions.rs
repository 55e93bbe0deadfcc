//! Chat completions for clients of OpenAI's API, read as strictly as they do.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Bot, OWNER};

fn fields(value: &Value) -> Vec<&str> {
    let mut fields: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    fields
}

fn asks(text: &str, stream: bool) -> Value {
    json!({
        "model": "clifford", "stream": stream, "temperature": 0.2,
        "messages": [
            { "role": "system", "content": "You are a parrot." },
            { "role": "user", "content": "before" },
            { "role": "assistant", "content": "after" },
            { "role": "user", "content": [{ "type": "text", "text": text }] },
        ],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_message_of_the_user_is_answered_in_one_piece_and_its_conversation_goes_on() {
    let bot = Bot::start().await;
    let models = bot.get("/v1/models").await.json();
    assert_eq!(models["object"], "list");
    assert_eq!(
        models["data"],
        json!([{ "id": "Clifford", "object": "model", "created": 0, "owned_by": "clifford" }])
    );
    let answer = bot.post("/v1/chat/completions", &asks("what is 17 * 23?", false)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let completion = answer.json();
    assert_eq!(
        fields(&completion),
        ["choices", "created", "id", "model", "object", "usage"]
    );
    assert!(completion["id"].as_str().unwrap().starts_with("chatcmpl-"));
    assert_eq!(
        (&completion["object"], &completion["model"]),
        (&json!("chat.completion"), &json!("Clifford"))
    );
    let choice = &completion["choices"][0];
    assert_eq!(
        (&choice["index"], &choice["finish_reason"]),
        (&json!(0), &json!("stop"))
    );
    assert_eq!(choice["message"]["role"], "assistant");
    assert!(
        choice["message"]["content"].as_str().unwrap().contains("391"),
        "{completion}"
    );
    let usage = &completion["usage"];
    let count = |name: &str| usage[name].as_i64().unwrap();
    assert_eq!(
        count("total_tokens"),
        count("prompt_tokens") + count("completion_tokens")
    );
    let run = bot
        .get(&format!("/api/runs/{}", answer.header("clifford-run")))
        .await
        .json();
    assert_eq!(
        run["inputText"], "what is 17 * 23?",
        "the history of the client is not asked"
    );
    let context = answer.header("clifford-context").to_owned();
    let again = bot
        .request(Method::POST, "/v1/chat/completions")
        .bearer_auth(OWNER)
        .header("clifford-context", &context);
    let again = bot.send(again.json(&asks("and 2 * 2?", false))).await;
    assert_eq!(
        (again.status, again.header("clifford-context")),
        (200, context.as_str())
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_names_the_speaker_first_ends_with_its_reason_and_done() {
    let bot = Bot::start().await;
    let mut body = asks("what is 17 * 23?", true);
    body["stream_options"] = json!({ "include_usage": true });
    let answer = bot.post("/v1/chat/completions", &body).await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "text/event-stream")
    );
    let events: Vec<_> = answer.text.split("\n\n").filter(|event| !event.is_empty()).collect();
    let data: Vec<_> = events
        .iter()
        .filter(|event| !event.starts_with(':'))
        .map(|event| event.strip_prefix("data: ").unwrap_or_else(|| panic!("{event}")))
        .collect();
    let (done, chunks) = data.split_last().unwrap();
    assert_eq!(*done, "[DONE]");
    let chunks: Vec<Value> = chunks
        .iter()
        .map(|chunk| serde_json::from_str(chunk).unwrap())
        .collect();
    for chunk in &chunks {
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(
            (&chunk["id"], &chunk["created"]),
            (&chunks[0]["id"], &chunks[0]["created"])
        );
    }
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let said: String = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert!(said.contains("391"), "{said}");
    let reasons: Vec<_> = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["finish_reason"].as_str())
        .collect();
    assert_eq!(reasons, ["stop"]);
    let last = chunks.last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].is_i64());
    bot.app.shutdown().await;
}

/// A call that asks its person: at once the caller reads the question, whole or as events.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_handed_on_at_once() {
    for stream in [false, true] {
        let bot = Bot::start().await;
        let rule = json!({ "name": "ask", "action": "confirm", "tools": ["memory.put"] });
        assert_eq!(bot.post("/api/policies", &rule).await.status, 201);
        let asked = asks("remember that I like green tea", stream);
        // Far below the longest wait of a request.
        let answer = tokio::time::timeout(Duration::from_secs(60), bot.post("/v1/chat/completions", &asked));
        let answer = answer.await.expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(answer.text.contains("memory.put"), "{}", answer.text);
        assert_eq!(answer.text.contains("[DONE]"), stream, "{}", answer.text);
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_the_shape_that_clients_of_openai_read() {
    let bot = Bot::start().await;
    let read = bot.token(&["read"]).await;
    let other = json!({ "model": "gpt-x", "messages": [{ "role": "user", "content": "hello" }] });
    let empty = json!({ "model": "clifford", "messages": [] });
    let good = asks("hello", false);
    for (token, body, status, kind, param) in [
        (None, &good, 401, "authentication_error", json!(null)),
        (Some(read.as_str()), &good, 403, "permission_error", json!(null)),
        (Some(OWNER), &other, 404, "invalid_request_error", json!("model")),
        (Some(OWNER), &empty, 422, "invalid_request_error", json!("content")),
        (Some(OWNER), &json!({}), 422, "invalid_request_error", json!("model")),
    ] {
        let mut request = bot.request(Method::POST, "/v1/chat/completions").json(body);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = bot.send(request).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        assert_eq!(answer.header("content-type"), "application/json");
        let error = answer.json();
        assert_eq!(fields(&error), ["error"]);
        let error = &error["error"];
        assert_eq!(fields(error), ["code", "message", "param", "type"]);
        assert_eq!((&error["type"], &error["param"]), (&json!(kind), &param));
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
    let nowhere = bot.get("/v1/embeddings").await;
    assert_eq!(
        (nowhere.status, &nowhere.json()["error"]["code"]),
        (404, &json!("unknown_route"))
    );
    bot.app.shutdown().await;
}
