//! The client's reading of errors: how the caller may react, and no secrets. This file is long because each way in which
//! servers refuse has its case.

mod openai_support;
mod support;

use std::time::Duration;

use clifford_fakes::openai::{OpenAiFake, Reply};
use clifford_llm::{OpenAi, SetupError, Timeouts, http_client};
use clifford_llm_api::model::{Denial, Model, ModelError};
use clifford_vault::Secret;
use serde_json::json;

use self::{
    openai_support::{CONNECT, client, config, config_at},
    support::{Heard, TestResult, request},
};

fn main_provider() -> String {
    "main".to_owned()
}

fn overloaded(reason: &str) -> ModelError {
    ModelError::Overloaded {
        provider: main_provider(),
        reason: reason.to_owned(),
    }
}

fn bad_request(reason: &str) -> ModelError {
    ModelError::BadRequest {
        provider: main_provider(),
        reason: reason.to_owned(),
    }
}

fn refused(reason: &str) -> ModelError {
    ModelError::Refused {
        provider: main_provider(),
        reason: reason.to_owned(),
    }
}

fn silent(reason: &str) -> ModelError {
    ModelError::Silent {
        provider: main_provider(),
        reason: reason.to_owned(),
    }
}

fn too_long(window: Option<u64>) -> ModelError {
    ModelError::TooLong {
        provider: main_provider(),
        window,
        in_bytes: false,
    }
}

fn too_large() -> ModelError {
    ModelError::TooLong {
        provider: main_provider(),
        window: None,
        in_bytes: true,
    }
}

fn unauthorised(denial: Denial, reason: &str, remedy: &str) -> ModelError {
    ModelError::Unauthorised {
        provider: main_provider(),
        reason: reason.to_owned(),
        denial,
        remedy: remedy.to_owned(),
    }
}

fn later(after: Duration) -> ModelError {
    ModelError::Later {
        provider: main_provider(),
        after,
    }
}

const CHECK_KEY: &str = "check `key` of provider `main`";
const CHECK_RIGHTS: &str = "check what `key` of provider `main` may do, and whether it may use `model` (test-model)";
const CHECK_BALANCE: &str = "look at the balance and limits of the account behind `key` of provider `main`";

#[tokio::test]
async fn every_status_says_what_the_caller_may_do() -> TestResult {
    let fake = OpenAiFake::start().await;
    let model = client(config(&fake))?;
    let check_model = format!(
        "check `model` (test-model) and `base_url` ({}) of provider `main`",
        fake.base_url()
    );
    let quota = json!({"error": {"message": "no money", "type": "insufficient_quota", "code": "insufficient_quota"}});
    let filtered = json!({"error": {"message": "not this", "code": "content_filter"}});
    let cases = [
        (Reply::status(400, "too long"), bad_request("status 400: too long")),
        (
            Reply::status(401, "who?"),
            unauthorised(Denial::Key, "status 401: who?", CHECK_KEY),
        ),
        (
            Reply::status(402, "pay"),
            unauthorised(Denial::Balance, "status 402: pay", CHECK_BALANCE),
        ),
        (
            Reply::status(403, "no"),
            unauthorised(Denial::Permission, "status 403: no", CHECK_RIGHTS),
        ),
        (
            Reply::status(404, "no model"),
            unauthorised(Denial::Model, "status 404: no model", &check_model),
        ),
        (
            Reply::status(302, "there"),
            unauthorised(Denial::Model, "status 302: there", &check_model),
        ),
        (Reply::status(408, "slow"), overloaded("status 408: slow")),
        (Reply::status(409, "busy"), overloaded("status 409: busy")),
        (Reply::status(413, "big"), too_large()),
        (Reply::status(422, "odd"), bad_request("status 422: odd")),
        (Reply::status(429, "slow down"), overloaded("status 429: slow down")),
        (Reply::rate_limited(7), later(Duration::from_secs(7))),
        (
            Reply::status(429, "x").header("retry-after-ms", "250"),
            later(Duration::from_millis(250)),
        ),
        (Reply::status(500, "oops"), overloaded("status 500: oops")),
        (
            Reply::status(503, "full").header("retry-after", "2"),
            later(Duration::from_secs(2)),
        ),
        (
            Reply::raw(502, "text/html", "<html>Bad Gateway</html>"),
            overloaded("status 502"),
        ),
        (
            Reply::raw(429, "application/json", quota.to_string()),
            unauthorised(Denial::Balance, "status 429: no money", CHECK_BALANCE),
        ),
        (
            Reply::raw(400, "application/json", filtered.to_string()),
            refused("status 400: not this"),
        ),
        (
            Reply::content_filter(),
            refused("the content filter withheld the reply"),
        ),
        (Reply::refusal("I would rather not."), refused("I would rather not.")),
        (
            Reply::error_in_ok(&json!({"message": "tired", "code": 503})),
            overloaded("status 503: tired"),
        ),
        (
            Reply::error_in_ok(&json!({"message": "no", "code": "invalid_api_key"})),
            unauthorised(Denial::Key, "status 401: no", CHECK_KEY),
        ),
        (
            Reply::raw(200, "application/json", "{}"),
            overloaded("the answer holds no choice"),
        ),
        (
            Reply::raw(200, "text/html; charset=utf-8", "\n<html></html>"),
            unauthorised(
                Denial::Model,
                "status 200: a web page in the place of a reply",
                &check_model,
            ),
        ),
        (
            Reply::raw(200, "application/json", "\u{1f}").header("content-encoding", "gzip"),
            bad_request(&format!(
                "status 200: the answer is packed (gzip), which was not asked for: turn compression off in the proxy at {}",
                fake.base_url()
            )),
        ),
        (
            Reply::raw(200, "text/event-stream", ""),
            overloaded("the stream ended before the reply did"),
        ),
    ];
    for (reply, expected) in cases {
        let shown = format!("{reply:?}");
        fake.push(reply);
        assert_eq!(model.complete(&request(), &mut ()).await, Err(expected), "{shown}");
    }
    Ok(())
}

#[tokio::test]
async fn a_date_to_wait_for_is_measured_by_the_servers_clock() -> TestResult {
    let fake = OpenAiFake::start().await;
    let retry = ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT");
    fake.push(
        Reply::status(429, "x")
            .header(retry.0, retry.1)
            .header("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
    );
    let error = client(config(&fake))?.complete(&request(), &mut ()).await;
    assert_eq!(error, Err(later(Duration::from_secs(30))));
    Ok(())
}

#[tokio::test]
async fn garbage_is_overloaded_with_a_reason() -> TestResult {
    let fake = OpenAiFake::start().await;
    let endless = format!("{{\"choices\": \"{}\"}}", "x".repeat(9 << 20));
    for (reply, expected) in [
        (Reply::garbage(), "the answer is no completion"),
        (
            Reply::raw(200, "text/event-stream", "data: {oops\n\n"),
            "an event is no chunk",
        ),
        (Reply::raw(200, "application/json", endless), "the answer is too long"),
        (
            Reply::text("x").ignoring_stream().cut_after(1),
            "error decoding response body",
        ),
        (Reply::reset(), "error sending request"),
    ] {
        fake.push(reply);
        match client(config(&fake))?.complete(&request(), &mut ()).await {
            Err(ModelError::Overloaded { reason, .. }) => assert!(reason.starts_with(expected), "{reason}"),
            other => panic!("{expected}: {other:?}"),
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_stream_that_breaks_off_hands_over_what_had_come() -> TestResult {
    let fake = OpenAiFake::start().await;
    let model = client(config(&fake))?;
    let text = "twenty-four characters, and more after them";
    for reply in [
        Reply::text(text).cut_after(2),
        Reply::text(text).end_after(2),
        Reply::raw(
            200,
            "text/event-stream",
            "data: {\"choices\":[{\"delta\":{\"content\":\"twenty-four characters, \"}}]}",
        ),
    ] {
        fake.push(reply);
        let mut heard = Heard::default();
        let partial = "twenty-four characters, ".to_owned();
        let error = model.complete(&request(), &mut heard).await;
        assert_eq!(
            error,
            Err(ModelError::Cut {
                provider: main_provider(),
                partial: partial.clone()
            })
        );
        assert_eq!(heard.text(), partial);
    }
    fake.push(Reply::text(text).cut_after(0));
    assert!(matches!(
        model.complete(&request(), &mut ()).await,
        Err(ModelError::Overloaded { .. })
    ));
    Ok(())
}

#[tokio::test]
async fn a_stream_may_end_without_saying_done() -> TestResult {
    let fake = OpenAiFake::start().await;
    // The opening, the text, and the chunk that tells the reason for the end.
    fake.push(Reply::text("short").end_after(3));
    assert_eq!(
        client(config(&fake))?.complete(&request(), &mut ()).await?.text,
        "short"
    );
    Ok(())
}

#[tokio::test]
async fn a_reply_that_told_why_it_ends_is_taken_however_its_stream_ends() -> TestResult {
    let fake = OpenAiFake::start().await;
    let mut config = config(&fake);
    config.timeouts = moments(5_000, 60, 60_000);
    let model = client(config)?;
    // The opening, the text, the reason to end, the usage.
    for reply in [
        Reply::text("short").hang_after(3),
        Reply::text("short").hang_after(4),
        Reply::text("short").keep_alive_after(3, Duration::from_millis(5)),
        Reply::text("short").cut_after(3),
        Reply::text("short").cut_after(4),
        Reply::text("short").fail_after(3, &json!({"message": "worker died", "code": 502})),
        Reply::raw(
            200,
            "text/event-stream",
            "data: {\"choices\":[{\"delta\":{\"content\":\"short\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"cho",
        ),
    ] {
        let shown = format!("{reply:?}");
        fake.push(reply);
        let answered = model.complete(&request(), &mut ()).await;
        assert_eq!(answered.map(|reply| reply.text), Ok("short".to_owned()), "{shown}");
    }
    // Without anything of a reply, there is none.
    fake.push(Reply::text("").cut_after(2));
    let error = model.complete(&request(), &mut ()).await;
    assert!(matches!(error, Err(ModelError::Overloaded { .. })), "{error:?}");
    assert_eq!(fake.violations(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_reason_to_end_in_every_chunk_ends_no_reply() -> TestResult {
    let fake = OpenAiFake::start().await;
    let chunk = |text: &str, reason: &str| {
        let chunk = json!({"choices": [{"delta": {"content": text}, "finish_reason": reason}]});
        format!("data: {chunk}\n\n")
    };
    for reason in ["stop", ""] {
        let all: String = ["a", "b", "c"].map(|text| chunk(text, reason)).concat();
        fake.push(Reply::raw(200, "text/event-stream", all + "data: [DONE]\n\n"));
        let reply = client(config(&fake))?.complete(&request(), &mut ()).await?;
        assert_eq!(reply.text, "abc", "{reason}");
    }
    fake.push(Reply::raw(200, "text/event-stream", chunk("a", "")));
    let error = client(config(&fake))?.complete(&request(), &mut ()).await;
    assert!(matches!(error, Err(ModelError::Cut { .. })), "{error:?}");
    Ok(())
}

#[tokio::test]
async fn an_error_within_a_stream_is_the_calls_error() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.push(Reply::text("some text").fail_after(2, &json!({"message": "worker died", "code": 502})));
    let error = client(config(&fake))?.complete(&request(), &mut ()).await;
    assert_eq!(error, Err(overloaded("status 502: worker died")));
    Ok(())
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.respond_with(|_| Reply::never());
    let moment = Duration::from_millis(30);
    let mut config = config(&fake);
    config.timeouts.first_token = moment;
    assert_eq!(
        client(config.clone())?.complete(&request(), &mut ()).await,
        Err(silent("no answer within 30ms"))
    );
    config.timeouts = moments(60_000, 60_000, 30);
    let expected = Err(silent("no complete answer within 30ms"));
    assert_eq!(client(config.clone())?.complete(&request(), &mut ()).await, expected);
    config.section.stream = false;
    assert!(matches!(
        client(config)?.complete(&request(), &mut ()).await,
        Err(ModelError::Silent { .. })
    ));
    Ok(())
}

/// Timeouts in moments; the whole call has none of its own.
fn moments(first_token: u64, idle: u64, total: u64) -> Timeouts {
    Timeouts {
        first_token: Duration::from_millis(first_token),
        idle: Duration::from_millis(idle),
        total: Duration::from_millis(total),
    }
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_given_up_whatever_keeps_its_connection_open() -> TestResult {
    let fake = OpenAiFake::start().await;
    let text = "twenty-four characters, and more after them";
    let comments = Duration::from_millis(5);
    let mut config = config(&fake);
    config.timeouts = moments(150, 60, 60_000);
    // The first chunk says who speaks, and nothing else.
    for (reply, expected) in [
        (Reply::text(text).hang_after(0), "no token within 150ms"),
        (Reply::text(text).hang_after(1), "no token within 150ms"),
        (Reply::text(text).keep_alive_after(1, comments), "no token within 150ms"),
        (Reply::text(text).hang_after(2), "no further token for 60ms"),
        (
            Reply::text(text).keep_alive_after(2, comments),
            "no further token for 60ms",
        ),
        (
            Reply::text("").reasoning(text).hang_after(2),
            "no further token for 60ms",
        ),
    ] {
        let shown = format!("{reply:?}");
        fake.push(reply);
        let error = client(config.clone())?.complete(&request(), &mut ()).await;
        assert_eq!(error, Err(silent(expected)), "{shown}");
    }
    Ok(())
}

#[tokio::test]
async fn a_stream_that_flows_is_not_cut_by_the_time_for_a_whole_reply() -> TestResult {
    let fake = OpenAiFake::start().await;
    let text = "word ".repeat(100);
    let slow = Reply::text(text.clone()).pause(Duration::from_millis(15));
    let mut config = config(&fake);
    // 24 chunks take 360 ms.
    config.timeouts = moments(5_000, 5_000, 100);
    fake.push(slow.clone());
    assert_eq!(client(config.clone())?.complete(&request(), &mut ()).await?.text, text);
    config.section.stream = false;
    fake.push(Reply::never());
    let error = client(config)?.complete(&request(), &mut ()).await;
    assert!(matches!(error, Err(ModelError::Silent { .. })), "{error:?}");
    Ok(())
}

#[tokio::test]
async fn a_request_that_is_too_long_is_told_with_the_window_where_that_is_said() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.respond_with(|_| Reply::text("short"));
    let model = client(config(&fake))?;
    fake.context_window(8);
    assert_eq!(model.complete(&request(), &mut ()).await, Err(too_long(None)));
    fake.context_window(300);
    let mut long = request();
    long.messages[1].content = "x".repeat(1200);
    assert_eq!(model.complete(&long, &mut ()).await, Err(too_long(Some(300))));
    fake.untold_context_window(300);
    assert_eq!(model.complete(&long, &mut ()).await, Err(too_long(None)));
    assert_eq!(model.complete(&request(), &mut ()).await?.text, "short");
    // Gateways pass a provider's error on like this.
    let raw = r#"{"error":{"message":"This model's maximum context length is 4096 tokens."}}"#;
    let wrapped = json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}});
    fake.push(Reply::raw(400, "application/json", wrapped.to_string()));
    assert_eq!(model.complete(&request(), &mut ()).await, Err(too_long(Some(4096))));
    fake.push(Reply::error_in_ok(
        &json!({"code": 400, "message": "the request exceeds the available context size",
        "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}),
    ));
    assert_eq!(model.complete(&request(), &mut ()).await, Err(too_long(Some(8192))));
    assert_eq!(fake.violations(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_server_that_is_gone_is_overloaded_and_may_come_back() -> TestResult {
    let fake = OpenAiFake::start().await;
    let (address, config) = (fake.address(), config(&fake));
    drop(fake);
    let model = client(config)?;
    match model.complete(&request(), &mut ()).await {
        Err(ModelError::Overloaded { reason, .. }) => assert!(reason.contains("onnect"), "{reason}"),
        other => panic!("{other:?}"),
    }
    let fake = OpenAiFake::start_at(address).await;
    fake.push(Reply::text("back"));
    assert_eq!(model.complete(&request(), &mut ()).await?.text, "back");
    Ok(())
}

#[tokio::test]
async fn a_wrong_key_and_an_unknown_model_name_the_setting_to_mend() -> TestResult {
    let fake = OpenAiFake::start().await;
    fake.require_key("sk-right");
    fake.only_models(["other-model"]);
    let mut config = config(&fake);
    config.key = Some(Secret::new("sk-wrong-and-secret"));
    let error = client(config.clone())?.complete(&request(), &mut ()).await;
    let reason = "status 401: Incorrect API key provided: [secret].";
    assert_eq!(error, Err(unauthorised(Denial::Key, reason, CHECK_KEY)));
    config.key = Some(Secret::new("sk-right"));
    let error = client(config)?.complete(&request(), &mut ()).await;
    let reason = "status 404: The model `test-model` does not exist or you do not have access to it.";
    let remedy = format!(
        "check `model` (test-model) and `base_url` ({}) of provider `main`",
        fake.base_url()
    );
    assert_eq!(error, Err(unauthorised(Denial::Model, reason, &remedy)));
    Ok(())
}

#[tokio::test]
async fn credentials_in_the_url_are_sent_and_never_shown() -> TestResult {
    let fake = OpenAiFake::start().await;
    let base_url = fake.base_url().replace("http://", "http://ann:hunter2@");
    let model = client(config_at(&base_url))?;
    for reply in [
        Reply::status(404, "no hunter2 here"),
        Reply::status(400, "no hunter2 here"),
        Reply::reset(),
        Reply::garbage(),
        Reply::refusal("hunter2"),
    ] {
        fake.push(reply);
        let error = model.complete(&request(), &mut ()).await;
        let shown = format!("{error:?} {model:?}");
        assert!(
            error.is_err() && !shown.contains("hunter2") && !shown.contains("ann:"),
            "{shown}"
        );
    }
    assert_eq!(
        fake.requests()[0].header("authorization"),
        Some("Basic YW5uOmh1bnRlcjI=")
    );
    drop(fake);
    let shown = format!("{:?}", model.complete(&request(), &mut ()).await);
    assert!(!shown.contains("hunter2"), "{shown}");
    Ok(())
}

#[tokio::test]
async fn the_key_never_shows() -> TestResult {
    let fake = OpenAiFake::start().await;
    let mut config = config(&fake);
    config.key = Some(Secret::new("sk-very-secret"));
    let model = client(config.clone())?;
    fake.push(Reply::status(400, "I got Authorization: Bearer sk-very-secret"));
    let error = model.complete(&request(), &mut ()).await;
    assert_eq!(
        error,
        Err(bad_request("status 400: I got Authorization: Bearer [secret]"))
    );
    let shown = format!("{config:?} {model:?}");
    assert!(!shown.contains("secret"), "{shown}");
    Ok(())
}

#[test]
fn settings_that_cannot_work_are_refused_at_once() -> TestResult {
    let http = http_client(CONNECT)?;
    let setup = |base_url: &str, key: Option<&str>| {
        let mut config = config_at(base_url);
        config.key = key.map(Secret::new);
        OpenAi::new(config, http.clone()).map(|_| ())
    };
    let base_url = |reason: &str| {
        Err(SetupError::BaseUrl {
            provider: main_provider(),
            reason: reason.to_owned(),
        })
    };
    assert_eq!(
        setup("api.openai.com/v1", None),
        base_url("relative URL without a base")
    );
    assert_eq!(setup("ftp://host/v1", None), base_url("its scheme is `ftp`"));
    assert_eq!(setup("localhost:11434", None), base_url("its scheme is `localhost`"));
    let key = "two\nlines";
    assert_eq!(
        setup("http://host/v1", Some(key)),
        Err(SetupError::Key {
            provider: main_provider()
        })
    );
    assert_eq!(setup("http://host/v1/", Some(" sk-x \n")), Ok(()));
    Ok(())
}
