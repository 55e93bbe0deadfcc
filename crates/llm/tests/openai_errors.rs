//! What the client makes of errors: what the caller may do, and no secrets.

mod openai_support;
mod support;

use std::time::Duration;

use clifford_fakes::openai::{OpenAiFake, Reply};
use clifford_llm::{Model, ModelError, OpenAi, ProviderConfig, SetupError, Timeouts, http_client};
use serde_json::json;

use self::openai_support::{client, config};
use self::support::{Heard, Outcome, request};

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

fn unauthorised(reason: &str, remedy: &str) -> ModelError {
    ModelError::Unauthorised {
        provider: main_provider(),
        reason: reason.to_owned(),
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
const CHECK_BALANCE: &str = "look at the balance and limits of the account behind `key` of provider `main`";

#[tokio::test]
async fn every_status_says_what_the_caller_may_do() -> Outcome {
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
        (Reply::status(401, "who?"), unauthorised("status 401: who?", CHECK_KEY)),
        (
            Reply::status(402, "pay"),
            unauthorised("status 402: pay", CHECK_BALANCE),
        ),
        (Reply::status(403, "no"), unauthorised("status 403: no", CHECK_KEY)),
        (
            Reply::status(404, "no model"),
            unauthorised("status 404: no model", &check_model),
        ),
        (
            Reply::status(302, "there"),
            unauthorised("status 302: there", &check_model),
        ),
        (Reply::status(408, "slow"), overloaded("status 408: slow")),
        (Reply::status(409, "busy"), overloaded("status 409: busy")),
        (Reply::status(413, "big"), bad_request("status 413: big")),
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
            unauthorised("status 429: no money", CHECK_BALANCE),
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
            unauthorised("status 401: no", CHECK_KEY),
        ),
        (
            Reply::raw(200, "application/json", "{}"),
            overloaded("the answer holds no choice"),
        ),
        (
            Reply::raw(200, "text/html", "<html></html>"),
            overloaded("the stream ended before the reply did"),
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
async fn a_date_to_wait_for_is_measured_by_the_servers_clock() -> Outcome {
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
async fn garbage_is_overloaded_with_a_reason() -> Outcome {
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
async fn a_stream_that_breaks_off_hands_over_what_had_come() -> Outcome {
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
async fn a_stream_may_end_without_saying_done() -> Outcome {
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
async fn an_error_within_a_stream_is_the_calls_error() -> Outcome {
    let fake = OpenAiFake::start().await;
    fake.push(Reply::text("some text").fail_after(2, &json!({"message": "worker died", "code": 502})));
    let error = client(config(&fake))?.complete(&request(), &mut ()).await;
    assert_eq!(error, Err(overloaded("status 502: worker died")));
    Ok(())
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() -> Outcome {
    let fake = OpenAiFake::start().await;
    fake.respond_with(|_| Reply::never());
    let moment = Duration::from_millis(30);
    let mut config = config(&fake);
    config.timeouts.idle = moment;
    assert_eq!(
        client(config.clone())?.complete(&request(), &mut ()).await,
        Err(overloaded("no answer within 30ms"))
    );
    config.timeouts = Timeouts {
        total: moment,
        ..Timeouts::default()
    };
    let expected = Err(overloaded("no complete answer within 30ms"));
    assert_eq!(client(config.clone())?.complete(&request(), &mut ()).await, expected);
    config.streaming = false;
    assert!(matches!(
        client(config)?.complete(&request(), &mut ()).await,
        Err(ModelError::Overloaded { .. })
    ));
    Ok(())
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_cut() -> Outcome {
    let fake = OpenAiFake::start().await;
    let text = "twenty-four characters, and more after them";
    fake.push(Reply::text(text).pause(Duration::from_secs(3600)));
    let mut config = config(&fake);
    config.timeouts.idle = Duration::from_secs(1);
    let error = client(config)?.complete(&request(), &mut ()).await;
    assert_eq!(error, Err(overloaded("nothing came for 1s")));
    Ok(())
}

#[tokio::test]
async fn a_server_that_is_gone_is_overloaded_and_may_come_back() -> Outcome {
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
async fn a_wrong_key_and_an_unknown_model_name_the_setting_to_mend() -> Outcome {
    let fake = OpenAiFake::start().await;
    fake.require_key("sk-right");
    fake.only_models(["other-model"]);
    let mut config = config(&fake);
    config.key = Some("sk-wrong-and-secret".to_owned());
    let error = client(config.clone())?.complete(&request(), &mut ()).await;
    let reason = "status 401: Incorrect API key provided: [secret].";
    assert_eq!(error, Err(unauthorised(reason, CHECK_KEY)));
    config.key = Some("sk-right".to_owned());
    let error = client(config)?.complete(&request(), &mut ()).await;
    let reason = "status 404: The model `test-model` does not exist or you do not have access to it.";
    let remedy = format!(
        "check `model` (test-model) and `base_url` ({}) of provider `main`",
        fake.base_url()
    );
    assert_eq!(error, Err(unauthorised(reason, &remedy)));
    Ok(())
}

#[tokio::test]
async fn credentials_in_the_url_are_sent_and_never_shown() -> Outcome {
    let fake = OpenAiFake::start().await;
    let base_url = fake.base_url().replace("http://", "http://ann:hunter2@");
    let model = client(ProviderConfig::new("main", base_url, "m"))?;
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
async fn the_key_never_shows() -> Outcome {
    let fake = OpenAiFake::start().await;
    let mut config = config(&fake);
    config.key = Some("sk-very-secret".to_owned());
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
fn settings_that_cannot_work_are_refused_at_once() -> Outcome {
    let http = http_client(&Timeouts::default())?;
    let setup = |base_url: &str, key: Option<&str>| {
        let mut config = ProviderConfig::new("main", base_url, "m");
        config.key = key.map(str::to_owned);
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
