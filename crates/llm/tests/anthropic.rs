//! The client of Anthropic's messages API: its requests, its replies and its errors.

mod support;

use std::time::Duration;

use clifford_fakes::{
    anthropic::{AnthropicFake, error_event, status},
    openai::Reply,
};
use clifford_llm::{Anthropic, Provider, ProviderConfig, ProviderKind, Structured, http_client};
use clifford_llm_api::model::{
    Completion, Image, Message, Model, ModelError, NativeToolCall, Request, Role, Schema, Usage,
};
use clifford_vault::Secret;
use serde_json::{Value, json};

use self::support::{Heard, TestResult, request};

const LONG: &str = "Thirty-two characters of text, \u{1f98a} and then as many again, for several chunks.";
const KEY: &str = "sk-ant-1";

fn config(fake: &AnthropicFake) -> ProviderConfig {
    let mut config = ProviderConfig::new(Provider {
        kind: ProviderKind::Anthropic,
        base_url: fake.base_url().into(),
        model: "claude-test".to_owned(),
        ..Provider::default()
    });
    config.key = Some(Secret::new(KEY));
    config
}

fn client(config: ProviderConfig) -> Result<Anthropic, Box<dyn std::error::Error>> {
    Ok(Anthropic::new(config, http_client(Duration::from_secs(10))?)?)
}

fn completion(text: &str, completion_tokens: u64) -> Completion {
    Completion {
        text: text.to_owned(),
        tool_calls: Vec::new(),
        // 8 tokens of prompt, 5 of them from the cache; the fake writes a tenth of the rest to it.
        usage: Usage {
            prompt_tokens: 8,
            completion_tokens,
            cached_tokens: 5,
            cache_write_tokens: 0,
            estimated: false,
        },
        provider: "main".to_owned(),
        model: "claude-test".to_owned(),
        is_cut: false,
    }
}

#[tokio::test]
async fn a_reply_is_the_same_streamed_or_whole_and_its_cached_tokens_are_part_of_the_prompt() -> TestResult {
    for streaming in [true, false] {
        let fake = AnthropicFake::start().await;
        fake.require_key(KEY);
        fake.push(
            Reply::text(LONG)
                .reasoning("Let me think about this for a while.")
                .cached_tokens(5),
        );
        let mut config = config(&fake);
        config.section.stream = streaming;
        config.section.temperature = 0.2;
        let mut heard = Heard::default();
        let reply = client(config)?.complete(&request(), &mut heard).await?;
        assert_eq!(reply, completion(LONG, 19), "streaming: {streaming}");
        assert_eq!(heard.text(), LONG);
        let sent = &fake.requests()[0];
        let mut expected = json!({
            "model": "claude-test",
            "max_tokens": 8192,
            "system": [{"type": "text", "text": "You answer with a JSON object.", "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}},
            ]}],
            "temperature": 0.2,
        });
        if streaming {
            expected["stream"] = json!(true);
        }
        assert_eq!(sent.body, expected);
        assert_eq!(
            (
                sent.header("x-api-key"),
                sent.header("anthropic-version"),
                sent.header("authorization")
            ),
            (Some(KEY), Some("2023-06-01"), None)
        );
        assert_eq!(fake.violations(), Vec::<String>::new());
    }
    Ok(())
}

#[tokio::test]
async fn what_is_written_to_the_cache_is_told_and_counted() -> TestResult {
    let fake = AnthropicFake::start().await;
    fake.push(Reply::text("yes"));
    let mut asked = request();
    asked.messages[1].content = "x".repeat(400);
    let reply = client(config(&fake))?.complete(&asked, &mut ()).await?;
    let usage = Usage {
        prompt_tokens: 108,
        completion_tokens: 1,
        cached_tokens: 0,
        cache_write_tokens: 10,
        estimated: false,
    };
    assert_eq!(reply.usage, usage);
    Ok(())
}

#[tokio::test]
async fn tool_calls_come_with_their_arguments() -> TestResult {
    for streaming in [true, false] {
        let fake = AnthropicFake::start().await;
        fake.push(Reply::native_tool_calls([
            (
                "compute.eval".to_owned(),
                "{\"expression\":\"6 * 7 and then some more of it\"}".to_owned(),
            ),
            ("tools.list".to_owned(), "{}".to_owned()),
        ]));
        let mut config = config(&fake);
        config.section.stream = streaming;
        let reply = client(config)?.complete(&request(), &mut ()).await?;
        let call = |name: &str, arguments: &str| NativeToolCall {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        let expected = [
            call("compute.eval", "{\"expression\":\"6 * 7 and then some more of it\"}"),
            call("tools.list", "{}"),
        ];
        assert_eq!(reply.tool_calls, expected, "streaming: {streaming}");
    }
    Ok(())
}

#[tokio::test]
async fn the_cache_is_marked_where_the_run_begins_and_where_it_ends_by_now() -> TestResult {
    let fake = AnthropicFake::start().await;
    fake.push(Reply::text("done"));
    let mut asked = request();
    for (role, content) in [
        (Role::Assistant, "a"),
        (Role::Assistant, "b"),
        (Role::User, "c"),
        (Role::User, "d"),
    ] {
        asked.messages.push(Message {
            role,
            content: content.to_owned(),
        });
    }
    client(config(&fake))?.complete(&asked, &mut ()).await?;
    let block = |text: &str| json!({"type": "text", "text": text});
    let marked = |text: &str| json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}});
    assert_eq!(
        fake.requests()[0].body["messages"],
        json!([
            {"role": "user", "content": [marked("Hi")]},
            {"role": "assistant", "content": [block("a")]},
            {"role": "user", "content": [block("Go on.")]},
            {"role": "assistant", "content": [block("b")]},
            {"role": "user", "content": [block("c"), marked("d")]},
        ])
    );
    assert_eq!(fake.violations(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_closed_schema_is_sent_without_bounds_and_an_open_one_is_not() -> TestResult {
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
        "additionalProperties": false});
    let mut bounded = closed.clone();
    bounded["properties"]["a"]["minLength"] = json!(1);
    let open = json!({"type": "object", "properties": {"a": {"type": "object"}}});
    let format = json!({"format": {"type": "json_schema", "schema": closed}});
    for (schema, capability, expected) in [
        (&bounded, Structured::JsonSchema, format),
        (&open, Structured::JsonSchema, Value::Null),
        (&bounded, Structured::None, Value::Null),
    ] {
        let fake = AnthropicFake::start().await;
        fake.push(Reply::text("{}"));
        let mut config = config(&fake);
        config.section.structured = capability;
        let asked = Request {
            schema: Some(Schema::new("action", schema)),
            ..request()
        };
        client(config)?.complete(&asked, &mut ()).await?;
        assert_eq!(fake.requests()[0].body["output_config"], expected);
        assert_eq!(fake.violations(), Vec::<String>::new());
    }
    Ok(())
}

#[tokio::test]
async fn what_a_model_does_not_know_is_asked_of_it_once() -> TestResult {
    let fake = AnthropicFake::start().await;
    fake.push(status(
        400,
        "output_config.format: this model does not support structured outputs",
    ));
    fake.push(status(400, "`temperature` is deprecated for this model."));
    fake.push(Reply::text("one"));
    fake.push(Reply::text("two"));
    let mut config = config(&fake);
    config.section.temperature = 0.5;
    let model = client(config)?;
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let asked = Request {
        schema: Some(Schema::new("action", &schema)),
        ..request()
    };
    assert_eq!(model.complete(&asked, &mut ()).await?.text, "one");
    assert_eq!(model.complete(&asked, &mut ()).await?.text, "two");
    let sent: Vec<_> = fake
        .requests()
        .iter()
        .map(|request| {
            (
                request.body.get("output_config").is_some(),
                request.body.get("temperature").is_some(),
            )
        })
        .collect();
    assert_eq!(sent, [(true, true), (false, true), (false, false), (false, false)]);
    Ok(())
}

fn class(error: &ModelError) -> &'static str {
    match error {
        ModelError::Later { .. } => "later",
        ModelError::Overloaded { .. } => "overloaded",
        ModelError::TooLong { .. } => "too long",
        ModelError::Unseen { .. } => "unseen",
        ModelError::Silent { .. } => "silent",
        ModelError::BadRequest { .. } => "bad request",
        ModelError::Refused { .. } => "refused",
        ModelError::Unauthorised { .. } => "unauthorised",
        ModelError::Cut { .. } => "cut",
    }
}

#[tokio::test]
async fn errors_are_of_the_same_classes_as_everywhere() -> TestResult {
    let cases = [
        (status(400, "messages: too long"), "bad request"),
        (
            status(400, "Your credit balance is too low to access the Anthropic API."),
            "unauthorised",
        ),
        (status(401, "invalid x-api-key"), "unauthorised"),
        (status(403, "Your API key does not have permission"), "unauthorised"),
        (status(404, "model: claude-test"), "unauthorised"),
        (status(413, "Request exceeds the maximum size"), "too long"),
        (status(429, "rate limited").header("retry-after", "7"), "later"),
        (status(429, "rate limited"), "overloaded"),
        (status(500, "Internal server error"), "overloaded"),
        (status(529, "Overloaded"), "overloaded"),
        (Reply::content_filter(), "refused"),
        (Reply::garbage(), "overloaded"),
        (Reply::reset(), "overloaded"),
        (Reply::text(LONG).cut_after(6), "cut"),
        (Reply::text(LONG).end_after(6), "cut"),
        (Reply::text(LONG).end_after(3), "overloaded"),
        (
            Reply::text(LONG).event_after(2, error_event(529, "Overloaded")),
            "overloaded",
        ),
    ];
    for (reply, expected) in cases {
        let fake = AnthropicFake::start().await;
        let shown = format!("{reply:?}");
        fake.push(reply);
        let error = client(config(&fake))?.complete(&request(), &mut ()).await.err();
        assert_eq!(error.as_ref().map(class), Some(expected), "{shown}: {error:?}");
        if expected == "later" {
            let later = ModelError::Later {
                provider: "main".to_owned(),
                after: Duration::from_secs(7),
            };
            assert_eq!(error, Some(later));
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_reply_that_told_why_it_ends_is_taken_however_its_stream_ends() -> TestResult {
    let whole = AnthropicFake::start().await;
    let mut config = config(&whole);
    config.timeouts.idle = Duration::from_millis(60);
    let model = client(config)?;
    // The start, a ping, the block with its start, text and end, and why the reply ends.
    for reply in [
        Reply::text("short").hang_after(6),
        Reply::text("short").cut_after(6),
        Reply::text("short").event_after(6, error_event(529, "Overloaded")),
    ] {
        let shown = format!("{reply:?}");
        whole.push(reply);
        let answered = model.complete(&request(), &mut ()).await;
        assert_eq!(answered.map(|reply| reply.text), Ok("short".to_owned()), "{shown}");
    }
    Ok(())
}

#[tokio::test]
async fn a_key_that_is_repeated_by_the_server_is_in_no_error() -> TestResult {
    let fake = AnthropicFake::start().await;
    fake.require_key("another");
    let error = client(config(&fake))?.complete(&request(), &mut ()).await.err();
    let error = error.map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("[secret]") && error.contains("check `key`"), "{error}");
    assert!(
        !error.contains(KEY) && !format!("{:?}", client(config(&fake))?).contains(KEY),
        "{error}"
    );
    Ok(())
}

#[tokio::test]
async fn a_function_takes_the_reply_and_images_go_with_their_message() -> TestResult {
    for streaming in [true, false] {
        let fake = AnthropicFake::start().await;
        fake.push(Reply::native_tool_calls([(
            "action".to_owned(),
            json!({"reply": {"a": "b"}}).to_string(),
        )]));
        let mut config = config(&fake);
        config.section.structured = Structured::Function;
        config.images = std::sync::Arc::new(clifford_llm::Sight::set(true));
        config.section.stream = streaming;
        let schema = json!({"type": "object", "anyOf": []});
        let asked = Request {
            schema: Some(Schema::new("action", &schema)),
            images: vec![Image {
                media_type: "image/png".into(),
                base64: "iVBORw0=".into(),
            }],
            images_with: 1,
            ..request()
        };
        let reply = client(config)?.complete(&asked, &mut ()).await?;
        assert_eq!((reply.text.as_str(), reply.tool_calls), (r#"{"a":"b"}"#, vec![]));
        let sent = &fake.requests()[0].body;
        assert_eq!(sent["tool_choice"], json!({"type": "tool", "name": "action"}));
        assert_eq!(sent["tools"][0]["input_schema"]["properties"]["reply"], schema);
        let source = json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0="});
        assert_eq!(sent["messages"][0]["content"][0]["source"], source);
        assert_eq!(
            sent["messages"][0]["content"][1]["text"],
            asked.messages[1].content.as_str()
        );
        assert_eq!(fake.violations(), Vec::<String>::new());
    }
    Ok(())
}

#[tokio::test]
async fn characters_whose_halves_come_apart_are_whole() -> TestResult {
    let fake = AnthropicFake::start().await;
    let model = client(config(&fake))?;
    let text = "😀 a👩‍👩‍👧bc😀😀 Grüße 🇩🇪";
    fake.push(Reply::text(text).splitting_surrogates());
    assert_eq!(model.complete(&request(), &mut ()).await?.text, text);
    let arguments = serde_json::json!({"message": text}).to_string();
    fake.push(Reply::native_tool_calls([("send_message".to_owned(), arguments.clone())]).splitting_surrogates());
    assert_eq!(
        model.complete(&request(), &mut ()).await?.tool_calls[0].arguments,
        arguments
    );
    Ok(())
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_told_with_the_window() -> TestResult {
    let fake = AnthropicFake::start().await;
    fake.context_window(9000);
    let model = client(config(&fake))?;
    let too_long = |window| {
        Err(ModelError::TooLong {
            provider: "main".to_owned(),
            window,
            in_bytes: false,
        })
    };
    let mut long = request();
    for length in [4_000, 40_000] {
        long.messages[1].content = "x".repeat(length);
        assert_eq!(model.complete(&long, &mut ()).await, too_long(Some(9000)), "{length}");
    }
    fake.push(Reply::text("short"));
    assert_eq!(model.complete(&request(), &mut ()).await?.text, "short");
    Ok(())
}
