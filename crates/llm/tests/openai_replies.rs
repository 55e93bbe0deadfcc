//! Requests of the client, and its reading of replies.
//!
//! It is long because each way in which servers answer has its case.

mod openai_support;
mod support;

use std::{sync::Arc, time::Duration};

use clifford_fakes::openai::{OpenAiFake, Reply};
use clifford_llm::{Sight, Structured};
use clifford_llm_api::model::{Completion, Image, Model, ModelError, NativeToolCall, Request, Schema, Usage};
use clifford_vault::Secret;
use serde_json::{Value, json};

use self::{
    openai_support::{client, config},
    support::{Heard, TestResult, request},
};

const LONG: &str = "Thirty-two characters of text, \u{1f98a} and then as many again, for several chunks.";

fn completion(text: &str, usage: Usage) -> Completion {
    Completion {
        text: text.to_owned(),
        tool_calls: Vec::new(),
        usage,
        provider: "main".to_owned(),
        model: "test-model".to_owned(),
        is_cut: false,
    }
}

fn usage(completion_tokens: u64, cached_tokens: u64, estimated: bool) -> Usage {
    Usage {
        prompt_tokens: if estimated { 9 } else { 8 },
        completion_tokens,
        cached_tokens,
        cache_write_tokens: 0,
        estimated,
    }
}

fn with_schema() -> Request {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    Request {
        schema: Some(Schema::new("action", &schema)),
        ..request()
    }
}

#[tokio::test]
async fn a_streamed_reply_grows_in_the_sink_and_is_whole_in_the_end() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.push(
        Reply::text(LONG)
            .reasoning("Let me think about this for a while.")
            .cached_tokens(5),
    );
    let mut heard = Heard::default();
    let reply = client(config(&fake))?.complete(&request(), &mut heard).await?;
    assert_eq!(reply, completion(LONG, usage(19, 5, false)));
    assert_eq!(heard.text(), LONG);
    assert_eq!(heard.0.len(), 4);
    let sent = &fake.requests()[0];
    assert_eq!(
        sent.body,
        json!({
            "model": "test-model",
            "messages": [
                {"role": "system", "content": "You answer with a JSON object."},
                {"role": "user", "content": "Hi"},
            ],
            "temperature": 0.2,
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
    assert_eq!(sent.header("authorization"), None);
    assert_eq!(fake.violations(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_reply_in_one_piece_is_read_whether_or_not_a_stream_was_asked_for() -> TestResult {
    for streaming in [false, true] {
        let fake = OpenAiFake::start().await;
        fake.push(Reply::text(LONG).ignoring_stream());
        let mut heard = Heard::default();
        let mut config = config(&fake);
        config.section.stream = streaming;
        config.key = Some(Secret::new("sk-test"));
        config.section.max_tokens = Some(700);
        let reply = client(config)?.complete(&request(), &mut heard).await?;
        assert_eq!(reply, completion(LONG, usage(19, 0, false)));
        assert_eq!(heard.0, [Some(LONG.to_owned())]);
        let sent = &fake.requests()[0];
        assert_eq!(sent.stream(), streaming);
        assert_eq!(sent.body["max_tokens"], 700);
        assert_eq!(sent.header("authorization"), Some("Bearer sk-test"));
        assert_eq!(fake.violations(), Vec::<String>::new());
    }
    Ok(())
}

#[tokio::test]
async fn the_requests_own_limit_wins_over_the_providers() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.push(Reply::text("x"));
    let mut config = config(&fake);
    config.section.max_tokens = Some(700);
    client(config)?
        .complete(
            &Request {
                max_tokens: Some(9),
                ..request()
            },
            &mut (),
        )
        .await?;
    assert_eq!(fake.requests()[0].body["max_tokens"], 9);
    Ok(())
}

#[tokio::test]
async fn usage_is_estimated_where_the_server_tells_none() -> TestResult {
    for streaming in [false, true] {
        let fake = OpenAiFake::start().await;
        fake.push(Reply::text("123456789").without_usage());
        let mut config = config(&fake);
        config.section.stream = streaming;
        let reply = client(config)?.complete(&request(), &mut ()).await?;
        assert_eq!(reply, completion("123456789", usage(3, 0, true)));
    }
    Ok(())
}

#[tokio::test]
async fn native_tool_calls_are_joined_from_their_fragments() -> TestResult {
    let arguments = json!({"expression": "17 * 23 + 12345678901234567890"});
    let call = NativeToolCall {
        name: "compute.eval".to_owned(),
        arguments: arguments.to_string(),
    };
    for streaming in [false, true] {
        let fake = OpenAiFake::start().await;
        fake.push(Reply::native_tool_calls([
            ("compute.eval".to_owned(), arguments.to_string()),
            ("tools.list".to_owned(), "{}".to_owned()),
        ]));
        let mut config = config(&fake);
        config.section.stream = streaming;
        let reply = client(config)?.complete(&request(), &mut ()).await?;
        let second = NativeToolCall {
            name: "tools.list".to_owned(),
            arguments: "{}".to_owned(),
        };
        assert_eq!(
            (reply.text.as_str(), reply.tool_calls),
            ("", vec![call.clone(), second])
        );
    }
    Ok(())
}

#[tokio::test]
async fn json_is_asked_for_as_the_server_is_able() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.respond_with(|_| Reply::text("{}"));
    let format = async |capability, request: Request| -> Result<Value, Box<dyn std::error::Error>> {
        let mut config = config(&fake);
        config.section.structured = capability;
        client(config)?.complete(&request, &mut ()).await?;
        Ok(fake
            .requests()
            .last()
            .map(|sent| sent.body["response_format"].clone())
            .unwrap_or_default())
    };
    assert_eq!(
        format(Structured::JsonSchema, with_schema()).await?,
        json!({"type": "json_schema", "json_schema": {
            "name": "action",
            "schema": {"type": "object", "properties": {"a": {"type": "string"}}},
            "strict": false,
        }})
    );
    assert_eq!(
        format(Structured::JsonObject, with_schema()).await?,
        json!({"type": "json_object"})
    );
    assert_eq!(format(Structured::None, with_schema()).await?, Value::Null);
    assert_eq!(format(Structured::JsonSchema, request()).await?, Value::Null);
    assert_eq!(fake.violations(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn what_the_server_does_not_understand_is_asked_of_it_only_once() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.respond_with(|request| {
        let body = &request.body;
        if body["response_format"]["type"] == "json_schema" {
            Reply::status(400, "This response_format type is unavailable now")
        } else if body.get("response_format").is_some() {
            Reply::status(422, "Extra inputs are not permitted: response_format")
        } else if body.get("stream_options").is_some() {
            Reply::status(400, "Unknown field `stream_options`")
        } else if body.get("max_tokens").is_some() {
            Reply::status(
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            )
        } else {
            Reply::text("ok")
        }
    });
    let model = client(config(&fake))?;
    let request = Request {
        max_tokens: Some(50),
        ..with_schema()
    };
    assert_eq!(model.complete(&request, &mut ()).await?.text, "ok");
    assert_eq!(fake.request_count(), 5);
    assert_eq!(model.complete(&request, &mut ()).await?.text, "ok");
    assert_eq!(fake.request_count(), 6);
    assert_eq!(
        fake.requests()[5].body,
        json!({
            "model": "test-model",
            "messages": fake.requests()[0].body["messages"],
            "max_completion_tokens": 50,
            "temperature": 0.2,
            "stream": true,
        })
    );
    Ok(())
}

#[tokio::test]
async fn a_server_that_never_agrees_is_not_asked_for_ever() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.respond_with(|_| Reply::status(400, "response_format stream_options max_completion_tokens"));
    let error = client(config(&fake))?.complete(&with_schema(), &mut ()).await;
    assert_eq!(
        error,
        Err(ModelError::BadRequest {
            provider: "main".to_owned(),
            reason: "status 400: response_format stream_options max_completion_tokens".to_owned(),
        })
    );
    // Four in other words, and one without a stream.
    assert_eq!(fake.request_count(), 6);
    Ok(())
}

#[tokio::test]
async fn a_request_that_is_refused_in_other_words_is_tried_in_other_forms_and_those_are_kept() -> TestResult {
    let form = |body: &Value| body["response_format"]["type"].as_str().map(str::to_owned);
    let error = |status, message: &str| {
        let error = json!({"error": {"message": message, "code": status}});
        Reply::raw(status, "application/json", error.to_string())
    };
    // Status, words, what is refused, and how often is asked until it goes through.
    let schema: fn(&Value) -> bool = |body| body["response_format"]["type"] == "json_schema";
    let any_form: fn(&Value) -> bool = |body| body.get("response_format").is_some();
    let stream: fn(&Value) -> bool = |body| body["stream"] == true;
    for (status, words, is_refused, calls, expected) in [
        (
            400,
            "The specified schema produces a constraint that has too many states for serving.",
            schema,
            2,
            (Some("json_object"), true),
        ),
        (
            400,
            "Unknown name \"additionalProperties\" at 'generation_config.response_schema'",
            schema,
            2,
            (Some("json_object"), true),
        ),
        (
            400,
            "exceeds the maximum allowed nesting depth",
            any_form,
            3,
            (None, true),
        ),
        (500, "failed to parse grammar", any_form, 3, (None, true)),
        (
            500,
            "invalid JSON schema in format",
            schema,
            2,
            (Some("json_object"), true),
        ),
        (
            404,
            "No endpoints found that can handle the requested parameters.",
            any_form,
            3,
            (None, true),
        ),
        (
            400,
            "Your organization must be verified to stream this model.",
            stream,
            2,
            (Some("json_schema"), false),
        ),
        (422, "odd", stream, 4, (Some("json_schema"), false)),
    ] {
        let fake = OpenAiFake::start().await;
        fake.respond_with(move |request| {
            if is_refused(&request.body) {
                error(status, words)
            } else {
                Reply::text("ok")
            }
        });
        let model = client(config(&fake))?;
        assert_eq!(model.complete(&with_schema(), &mut ()).await?.text, "ok", "{words}");
        assert_eq!(fake.request_count(), calls, "{words}");
        assert_eq!(model.complete(&with_schema(), &mut ()).await?.text, "ok", "{words}");
        assert_eq!(fake.request_count(), calls + 1, "{words}");
        let last = &fake.requests()[calls];
        assert_eq!((form(&last.body).as_deref(), last.stream()), expected, "{words}");
    }
    Ok(())
}

#[tokio::test]
async fn a_reply_that_the_server_withheld_as_not_of_the_form_is_the_reply() -> TestResult {
    let written = "{\"type\": \"finish\", oh";
    let error = json!({"message": "Failed to generate JSON.", "code": "json_validate_failed",
        "type": "invalid_request_error", "failed_generation": written});
    let body = json!({ "error": error });
    let fake = OpenAiFake::start().await;
    for reply in [
        Reply::raw(400, "application/json", body.to_string()),
        Reply::raw(200, "text/event-stream", format!("data: {body}\n\n")),
    ] {
        fake.push(reply);
        let mut heard = Heard::default();
        let reply = client(config(&fake))?.complete(&with_schema(), &mut heard).await?;
        assert_eq!((reply.text.as_str(), heard.text()), (written, written.to_owned()));
    }
    assert_eq!(fake.request_count(), 2);
    Ok(())
}

#[tokio::test]
async fn images_are_left_out_after_a_refusal_that_nothing_else_explains() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.respond_with(|request| {
        let is_text = request.messages().iter().all(|message| message["content"].is_string());
        if is_text {
            Reply::text("ok")
        } else {
            Reply::status(400, "odd")
        }
    });
    let mut config = config(&fake);
    config.images = Arc::new(Sight::new("somebodys-own", None));
    let model = client(config.clone())?;
    let asked = Request {
        images: vec![Image {
            media_type: "image/png".into(),
            base64: "AAAA".into(),
        }],
        images_with: 1,
        ..request()
    };
    let unseen =
        |error: Result<Completion, ModelError>| matches!(error, Err(ModelError::Unseen { is_blind: false, .. }));
    // Without a stream, too; then nothing but the images is left to blame.
    assert!(unseen(model.complete(&asked, &mut ()).await));
    assert_eq!(fake.request_count(), 2);
    assert_eq!(model.complete(&request(), &mut ()).await?.text, "ok");
    assert!(unseen(model.complete(&asked, &mut ()).await));
    assert_eq!(fake.request_count(), 4);
    // A model that is said to see them is not to blame.
    config.images = Arc::new(Sight::set(true));
    let error = client(config)?.complete(&asked, &mut ()).await;
    assert!(matches!(error, Err(ModelError::BadRequest { .. })), "{error:?}");
    Ok(())
}

#[tokio::test]
async fn a_stream_that_pauses_between_chunks_is_waited_for() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.push(
        Reply::text(LONG)
            .pause(Duration::from_millis(1))
            .delay(Duration::from_millis(1)),
    );
    assert_eq!(client(config(&fake))?.complete(&request(), &mut ()).await?.text, LONG);
    Ok(())
}

#[tokio::test]
async fn a_thousand_calls_at_once_are_all_answered() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.record(false);
    let hold = fake.hold();
    fake.respond_with(|request| Reply::text(request.last_text().to_owned()));
    let model = std::sync::Arc::new(client(config(&fake))?);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..1000 {
        let model = std::sync::Arc::clone(&model);
        calls.spawn(async move {
            let mut request = request();
            request.messages[1].content = format!("call {number}");
            let reply = model.complete(&request, &mut ()).await;
            reply.map(|reply| reply.text == request.messages[1].content)
        });
    }
    fake.wait_for_requests(1000).await;
    hold.release();
    assert!(calls.join_all().await.into_iter().all(|answered| answered == Ok(true)));
    assert_eq!((fake.request_count(), fake.requests().len()), (1000, 0));
    Ok(())
}

#[tokio::test]
async fn a_server_that_knows_functions_is_made_to_call_one_that_takes_the_reply() -> TestResult {
    for streaming in [false, true] {
        let fake = OpenAiFake::start().await;
        let arguments = json!({"reply": {"a": "b"}});
        fake.push(Reply::native_tool_call("action", &arguments));
        fake.push(Reply::status(400, "tool_choice is not supported by this model"));
        fake.push(Reply::text("{}"));
        let mut config = config(&fake);
        config.section.structured = Structured::Function;
        config.section.stream = streaming;
        let model = client(config)?;
        let reply = model.complete(&with_schema(), &mut ()).await?;
        assert_eq!((reply.text.as_str(), reply.tool_calls), (r#"{"a":"b"}"#, vec![]));
        let sent = &fake.requests()[0].body;
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(
            sent["tools"][0]["function"]["parameters"],
            json!({"type": "object", "properties": {"reply": schema}, "required": ["reply"],
                "additionalProperties": false})
        );
        assert_eq!(
            sent["tool_choice"],
            json!({"type": "function", "function": {"name": "action"}})
        );
        assert_eq!(sent["response_format"], Value::Null);
        // One that does not know them after all is asked in words, once and for all.
        assert_eq!(model.complete(&with_schema(), &mut ()).await?.text, "{}");
        assert_eq!(fake.requests()[2].body["tools"], Value::Null);
        assert_eq!(fake.violations(), Vec::<String>::new());
    }
    Ok(())
}

#[tokio::test]
async fn images_go_with_their_message_to_whoever_sees_them() -> TestResult {
    for sees in [true, false] {
        let fake = OpenAiFake::start().await;
        fake.push(Reply::text("a cat"));
        let mut config = config(&fake);
        config.images = std::sync::Arc::new(clifford_llm::Sight::set(sees));
        let image = Image {
            media_type: "image/png".into(),
            base64: "iVBORw0=".into(),
        };
        let asked = Request {
            images: vec![image],
            images_with: 1,
            ..request()
        };
        client(config)?.complete(&asked, &mut ()).await?;
        let words = asked.messages[1].content.clone();
        let expected = if sees {
            json!([
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0="}},
                {"type": "text", "text": words},
            ])
        } else {
            json!(words)
        };
        assert_eq!(fake.requests()[0].messages()[1]["content"], expected);
        assert_eq!(fake.violations(), Vec::<String>::new());
    }
    Ok(())
}

#[tokio::test]
async fn characters_whose_halves_come_apart_are_whole() -> TestResult {
    let fake = OpenAiFake::start().await;
    let model = client(config(&fake))?;
    let text = "😀 a👩‍👩‍👧bc😀😀 Grüße 🇩🇪";
    fake.push(Reply::text(text).splitting_surrogates());
    let mut heard = Heard::default();
    let completion = model.complete(&request(), &mut heard).await?;
    assert_eq!((completion.text.as_str(), heard.text().as_str()), (text, text));
    let arguments = json!({"message": text}).to_string();
    fake.push(Reply::native_tool_calls([("send_message".to_owned(), arguments.clone())]).splitting_surrogates());
    assert_eq!(
        model.complete(&request(), &mut ()).await?.tool_calls[0].arguments,
        arguments
    );
    for (body, expected) in [
        (
            r#"{"choices":[{"message":{"content":"a\ud83d"},"finish_reason":"stop"}]}"#,
            "a\u{fffd}",
        ),
        (
            r#"{"choices":[{"message":{"content":"\ude00b"},"finish_reason":"stop"}]}"#,
            "\u{fffd}b",
        ),
        (
            r#"{"choices":[{"message":{"content":"\ud83d\ude00"},"finish_reason":"stop"}]}"#,
            "😀",
        ),
    ] {
        fake.push(Reply::raw(200, "application/json", body));
        assert_eq!(model.complete(&request(), &mut ()).await?.text, expected);
    }
    Ok(())
}

#[tokio::test]
async fn what_a_server_does_not_understand_is_read_from_a_list_of_errors() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.respond_with(|request| {
        let complaint = if request.body.get("response_format").is_some() {
            "Unknown name \"response_format\": Cannot find field."
        } else if request.body.get("stream_options").is_some() {
            "Unknown name \"stream_options\": Cannot find field."
        } else {
            return Reply::text("ok");
        };
        let error = json!([{"error": {"code": 400, "message": complaint, "status": "INVALID_ARGUMENT"}}]);
        Reply::raw(400, "application/json", error.to_string())
    });
    let model = client(config(&fake))?;
    assert_eq!(model.complete(&with_schema(), &mut ()).await?.text, "ok");
    assert_eq!(fake.request_count(), 4);
    assert_eq!(model.complete(&with_schema(), &mut ()).await?.text, "ok");
    assert_eq!(fake.request_count(), 5);
    Ok(())
}

#[tokio::test]
async fn replies_in_odd_forms_are_read_all_the_same() -> TestResult {
    let fake = OpenAiFake::start().await;
    let odd = json!({
        "error": false,
        "choices": [{"finish_reason": 1, "message": {"content": ["o", "k"], "refusal": false, "tool_calls": {}}}],
        "base_resp": {"status_code": 0, "status_msg": ""},
    });
    for reply in [
        Reply::raw(200, "application/json", odd.to_string()),
        Reply::raw(200, "application/json", format!("\u{feff}{odd}")),
        Reply::raw(
            200,
            "text/event-stream",
            format!("\u{feff}data: {odd}\n\ndata: [DONE]\n\n"),
        ),
        Reply::raw(200, "text/event-stream", format!("data: \u{feff}{odd}\n\n")),
        Reply::raw(200, "application/json", without_numbers(&odd)),
        Reply::raw(
            200,
            "text/event-stream",
            format!("data: {odd}\n\ndata: {}\n\n", without_numbers(&json!({"choices": []}))),
        ),
    ] {
        let shown = format!("{reply:?}");
        fake.push(reply);
        let completion = client(config(&fake))?.complete(&request(), &mut ()).await?;
        assert_eq!(
            (completion.text.as_str(), completion.tool_calls),
            ("ok", vec![]),
            "{shown}"
        );
    }
    Ok(())
}

/// A reply whose usage has numbers that are none.
fn without_numbers(reply: &Value) -> String {
    let usage = r#","usage":{"prompt_tokens":1e400,"completion_tokens":NaN,"total_tokens":-Infinity}}"#;
    let text = reply.to_string();
    format!("{}{usage}", text.strip_suffix('}').unwrap_or(&text))
}

#[tokio::test]
async fn a_refusal_for_length_that_came_as_a_success_is_one() -> TestResult {
    let fake = OpenAiFake::start().await;
    let told = json!({"status_code": 2013, "status_msg": "invalid params, context window exceeds limit (2013)"});
    let body = json!({"id": "x", "choices": null, "base_resp": told}).to_string();
    for reply in [
        Reply::raw(200, "application/json", body.clone()),
        Reply::raw(200, "text/event-stream", format!("data: {body}\n\n")),
    ] {
        fake.push(reply);
        let error = client(config(&fake))?.complete(&request(), &mut ()).await;
        assert_eq!(
            error,
            Err(ModelError::TooLong {
                provider: "main".to_owned(),
                window: None,
                in_bytes: false,
            })
        );
    }
    Ok(())
}
