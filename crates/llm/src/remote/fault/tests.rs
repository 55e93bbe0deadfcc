//! Errors as servers sent them.

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::json;

use super::*;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let pair =
        |(name, value): &(&'static str, &'static str)| (HeaderName::from_static(name), HeaderValue::from_static(value));
    pairs.iter().map(pair).collect()
}

#[test]
fn the_wait_is_read_in_every_form_that_servers_use() {
    let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    let cases = [
        (headers(&[]), None),
        (headers(&[("retry-after", "7")]), Some(Duration::from_secs(7))),
        (headers(&[("retry-after", "1.5")]), Some(Duration::from_millis(1500))),
        (
            headers(&[("retry-after", "7"), ("retry-after-ms", "20")]),
            Some(Duration::from_millis(20)),
        ),
        (
            headers(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), date]),
            Some(Duration::from_secs(30)),
        ),
        (
            headers(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), date]),
            Some(Duration::ZERO),
        ),
        (headers(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")]), None),
        (headers(&[("retry-after", "-3")]), None),
        (headers(&[("retry-after", "1e300")]), None),
        (headers(&[("retry-after", "1e19")]), Some(LONGEST_WAIT)),
        (headers(&[("retry-after", "soon")]), None),
    ];
    for (headers, expected) in cases {
        assert_eq!(Fault::from_response(429, &headers, b"").after, expected, "{headers:?}");
    }
}

/// Bodies as servers sent them, and what is read of them.
#[test]
fn the_message_is_found_in_every_form_that_servers_use() {
    for (body, expected) in [
        (r#"{"error":{"message":"no","type":"x","param":"n"}}"#, "no"),
        (
            r#"{"error":{"message":"odd","param":"response_format"}}"#,
            "odd (parameter response_format)",
        ),
        (r#"{"error":"no"}"#, "no"),
        (r#"{"message":"no"}"#, "no"),
        (
            r#"{"object":"error","message":"no","type":"BadRequestError","param":null,"code":400}"#,
            "no",
        ),
        (r#"{"detail":"no"}"#, "no"),
        (r#"{"detail":[{"msg":"no"}]}"#, r#"[{"msg":"no"}]"#),
        (r#"{"detail":{"error":"no"}}"#, "no"),
        (
            r#"{"object":"error","message":{"detail":[{"msg":"no"}]}}"#,
            r#"[{"msg":"no"}]"#,
        ),
        (
            r#"[{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}]"#,
            "no",
        ),
        (
            r#"[{"error":{"code":400,"message":"no"}}, {"error":{"message":"else"}}]"#,
            "no",
        ),
        (r#"{"errors":[{"message":"no"}]}"#, "no"),
        (
            r#"{"success":false,"errors":[{"code":7003,"message":"no"}],"messages":[],"result":null}"#,
            "no",
        ),
        (r#"{"errors":["no"]}"#, "no"),
        (r#"{"error":[{"message":"no"}]}"#, "no"),
        (r#"{"error":{"error":{"message":"no"}}}"#, "no"),
        (r#"{"error":{"message":"","error":{"message":"no"}}}"#, "no"),
        (r#"{"error":{"code":429},"message":"no"}"#, "no"),
        (r#"{"error":true,"message":"no"}"#, "no"),
        (
            r#"{"error":"Bad Request","message":"no","statusCode":400}"#,
            "Bad Request: no",
        ),
        (r#"{"code":"Client specified an invalid argument","error":"no"}"#, "no"),
        (r#"{"code":500,"msg":"no","success":false}"#, "no"),
        (r#"{"base_resp":{"status_code":2013,"status_msg":"no"}}"#, "no"),
        (
            r#"{"title":"Not valid","status":400,"errors":{"response_format":["no"]}}"#,
            r#"Not valid: {"response_format":["no"]}"#,
        ),
        (
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"detail\":\"no\"}"}}}"#,
            r#"Provider returned error: {"detail":"no"}"#,
        ),
        ("\u{feff}{\"error\":\"no\"}", "no"),
        ("no", "no"),
        (r#""no""#, "no"),
        ("<html><body>no</body></html>", ""),
        ("{}", ""),
        ("[]", ""),
        ("[[[[[[[[[[[[{}]]]]]]]]]]]]", ""),
        ("", ""),
    ] {
        assert_eq!(
            Fault::from_response(400, &HeaderMap::new(), body.as_bytes()).message,
            expected,
            "{body}"
        );
    }
}

/// The reader's view of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Denied(Denial),
    TooLong(Option<u64>),
    Later(u64),
    Overloaded,
    BadRequest,
}

fn read(fault: Fault) -> Read {
    let settings = ProviderSettings {
        provider: "main",
        model: "m",
        base_url: "http://x",
    };
    match fault.into_error(&settings, str::to_owned) {
        ModelError::Unauthorised { denial, .. } => Read::Denied(denial),
        ModelError::TooLong { window, .. } => Read::TooLong(window),
        ModelError::Later { after, .. } => Read::Later(after.as_secs()),
        ModelError::Overloaded { .. } => Read::Overloaded,
        ModelError::BadRequest { .. } => Read::BadRequest,
        other => panic!("{other:?}"),
    }
}

/// Status and body as servers sent them.
#[test]
fn an_error_means_what_it_says_whatever_its_status() {
    use Denial::{Balance, Key, Model, Permission};
    use Read::{BadRequest, Denied, Later, Overloaded, TooLong};
    for (status, body, expected) in [
        // Anthropic.
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}"#,
            Denied(Balance),
        ),
        // OpenRouter, llama.cpp, Ollama, Groq: the form of the reply.
        (
            404,
            r#"{"error":{"message":"No endpoints found that can handle the requested parameters.","code":404}}"#,
            BadRequest,
        ),
        (
            404,
            r#"{"error":{"message":"No endpoints found for x/y.","code":404}}"#,
            Denied(Model),
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"failed to parse grammar","type":"server_error"}}"#,
            BadRequest,
        ),
        (500, r#"{"error":"invalid JSON schema in format"}"#, BadRequest),
        (
            400,
            r#"{"error":{"message":"Failed to generate JSON. Please adjust your prompt.","type":"invalid_request_error","code":"json_validate_failed"}}"#,
            Overloaded,
        ),
        // Gemini, by its compatible API.
        (
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]"#,
            Denied(Key),
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT"}}]"#,
            Denied(Key),
        ),
        (
            403,
            r#"[{"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}]"#,
            Denied(Key),
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]"#,
            TooLong(Some(1_048_576)),
        ),
        (
            429,
            r#"[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}]}}]"#,
            Later(34),
        ),
        (
            429,
            r#"[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}]"#,
            Denied(Balance),
        ),
        (
            429,
            r#"[{"error":{"code":429,"message":"You exceeded your current quota. Please retry in 12.3s.","status":"RESOURCE_EXHAUSTED"}}]"#,
            Overloaded,
        ),
        // A gateway before Gemini, with the body as its message.
        (
            400,
            r#"{"error":{"message":"{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"API key not valid. Please pass a valid API key.\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n","code":400,"status":"Bad Request"}}"#,
            Denied(Key),
        ),
        // xAI.
        (
            400,
            r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: gs***tF. You can obtain an API key from https://console.x.ai."}"#,
            Denied(Key),
        ),
        (
            429,
            r#"{"code":"Some resource has been exhausted","error":"Your team has either used all available credits or reached its monthly spending limit."}"#,
            Denied(Balance),
        ),
        // OpenAI.
        (
            400,
            r#"{"error":{"message":"The model `m` does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
            Denied(Model),
        ),
        (
            403,
            r#"{"error":{"message":"Project `p` does not have access to model `m`","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
            Denied(Permission),
        ),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":null}}"#,
            Denied(Balance),
        ),
        // LiteLLM.
        (
            400,
            r#"{"error":{"message":"400: {'error': 'Invalid model name passed in model=m. Call `/v1/models` to view available models for your key.'}","type":"None","param":"None","code":"400"}}"#,
            Denied(Model),
        ),
        (
            400,
            r#"{"error":{"message":"Budget has been exceeded! Current cost: 1.2, Max budget: 1.0","type":"budget_exceeded","param":null,"code":"400"}}"#,
            Denied(Balance),
        ),
        // OpenRouter.
        (
            400,
            r#"{"error":{"message":"m is not a valid model ID","code":400},"user_id":"user_x"}"#,
            Denied(Model),
        ),
        // Moonshot.
        (
            403,
            r#"{"error":{"message":"Your account is not active, current state: not enough money","type":"exceeded_current_quota_error"}}"#,
            Denied(Balance),
        ),
        (
            429,
            r#"{"error":{"message":"Your account org-x <ak-y> is suspended due to insufficient balance, please recharge your account or check your plan and billing details","type":"exceeded_current_quota_error"}}"#,
            Denied(Balance),
        ),
        (
            400,
            r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)","type":"invalid_request_error"}}"#,
            TooLong(Some(262_144)),
        ),
        // Zhipu.
        (
            429,
            r#"{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}"#,
            Denied(Balance),
        ),
        (
            400,
            r#"{"error":{"code":"1211","message":"模型不存在，请检查模型代码。"}}"#,
            Denied(Model),
        ),
        (
            400,
            r#"{"error":{"code":"1261","message":"Prompt 超长"}}"#,
            TooLong(None),
        ),
        // DeepSeek, SiliconFlow, Mistral, DashScope, Bedrock, Anthropic.
        (
            400,
            r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
            Denied(Model),
        ),
        (
            400,
            r#"{"code":20012,"message":"Model does not exist. Please check it carefully.","data":null}"#,
            Denied(Model),
        ),
        (
            403,
            r#"{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}"#,
            Denied(Balance),
        ),
        (
            400,
            r#"{"object":"error","message":"Invalid model: m","type":"invalid_model","param":null,"code":"1500"}"#,
            Denied(Model),
        ),
        (
            400,
            r#"{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}"#,
            Denied(Balance),
        ),
        (
            400,
            r#"{"message":"The provided model identifier is invalid."}"#,
            Denied(Model),
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
            Denied(Balance),
        ),
        // A gateway without a place at a model that it knows.
        (
            503,
            r#"{"error":{"message":"no channel","code":"model_not_found"}}"#,
            Overloaded,
        ),
        (500, r#"{"error":{"message":"Incorrect API key provided"}}"#, Overloaded),
        // Others that name keys and models.
        (
            400,
            r#"{"error":{"message":"Unknown parameter: 'tools[0].function.api_key'.","param":"tools[0].function.api_key","code":"unknown_parameter"}}"#,
            BadRequest,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid schema for function 'look': 'invalid api key' is not valid under 'model not found'","param":"tools[0]"}}"#,
            BadRequest,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid 'messages[1].content': unknown model: it is no text"}}"#,
            BadRequest,
        ),
        (
            400,
            r#"{"error":{"message":"Unknown model parameter: top_k"}}"#,
            BadRequest,
        ),
        (
            400,
            r#"{"error":{"message":"This model does not support the key `stop`."}}"#,
            BadRequest,
        ),
        // A person's words are repeated.
        (
            422,
            r#"{"detail":[{"type":"missing","loc":["body","x"],"msg":"Field required","input":"Incorrect API key provided, prompt is too long, model not found"}]}"#,
            BadRequest,
        ),
    ] {
        let fault = Fault::from_response(status, &HeaderMap::new(), body.as_bytes());
        assert_eq!(read(fault), expected, "{body}");
    }
}

/// MiniMax's answers have status 200.
#[test]
fn an_error_with_codes_of_its_own_is_read_by_them() {
    for (code, said, expected) in [
        (
            2013,
            "invalid params, context window exceeds limit (2013)",
            Read::TooLong(None),
        ),
        (
            2013,
            "invalid params, unknown model 'm' (2013)",
            Read::Denied(Denial::Model),
        ),
        (2013, "invalid params, tools (2013)", Read::BadRequest),
        (1002, "rate limit exceeded(RPM) (1002)", Read::Overloaded),
        (
            1004,
            "login fail: Please carry the API secret key",
            Read::Denied(Denial::Key),
        ),
        (1008, "insufficient balance (1008)", Read::Denied(Denial::Balance)),
        (1000, "unknown error", Read::Overloaded),
    ] {
        let error = json!({"status_code": code, "status_msg": said});
        assert_eq!(read(Fault::from_value(&error)), expected, "{error}");
    }
}

#[test]
fn an_error_without_a_status_is_sorted_by_its_code() {
    for (error, status) in [
        (json!({"code": 429}), 429),
        (json!({"code": "rate_limit_exceeded"}), 429),
        (json!({"type": "overloaded_error", "message": "Overloaded"}), 529),
        (json!({"type": "permission_error"}), 403),
        (json!({"code": "invalid_api_key", "type": "invalid_request_error"}), 401),
        (json!({"code": "model_not_found", "type": "invalid_request_error"}), 404),
        (json!({"type": "invalid_request_error"}), 400),
        (json!({"message": "boom"}), 500),
        (json!({"code": 7}), 500),
    ] {
        assert_eq!(Fault::from_value(&error).status, status, "{error}");
    }
}

#[test]
fn a_long_message_is_cut_and_put_on_one_line() {
    assert_eq!(described("a\n\u{7}b  c"), ": a b c");
    assert_eq!(described(&"ä".repeat(500)).chars().count(), LONGEST_MESSAGE + 3);
}

#[test]
fn a_redirect_says_where_it_leads_without_credentials() {
    for (location, expected) in [
        (
            "https://ada:pw@models.example/v1/chat/completions?key=1",
            "it redirects to https://models.example/v1/chat/completions",
        ),
        ("/v2/chat/completions?key=1", "it redirects to /v2/chat/completions"),
    ] {
        let fault = Fault::from_response(308, &headers(&[("location", location)]), b"there");
        assert_eq!(fault.message, expected);
    }
    let elsewhere = Fault::from_response(400, &headers(&[("location", "/x")]), b"there");
    assert_eq!(elsewhere.message, "there");
    assert_eq!(Fault::from_response(308, &headers(&[]), b"there").message, "there");
}

#[test]
fn a_reply_that_is_not_of_the_form_is_found_in_the_error() {
    let groq = r#"{"error":{"message":"Failed to generate JSON.","code":"json_validate_failed","failed_generation":"{\"type\": oh"}}"#;
    let passed_on = json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": groq}}});
    for (body, expected) in [
        (groq.to_owned(), Some("{\"type\": oh")),
        (passed_on.to_string(), Some("{\"type\": oh")),
        (r#"{"error":{"message":"no","failed_generation":""}}"#.to_owned(), None),
        (r#"{"error":{"message":"no"}}"#.to_owned(), None),
    ] {
        let fault = Fault::from_response(400, &HeaderMap::new(), body.as_bytes());
        assert_eq!(fault.written.as_deref(), expected, "{body}");
    }
}

#[test]
fn other_terms_are_tried_only_where_nothing_else_is_to_blame() {
    let terms = |status, body: &str| Fault::from_response(status, &HeaderMap::new(), body.as_bytes()).may_be_of_terms();
    for (body, expected) in [
        (r#"{"error":{"message":"odd"}}"#, true),
        (
            r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
            false,
        ),
        (r#"{"error":{"message":"API key not valid"}}"#, false),
        (r#"{"error":{"message":"Your credit balance is too low"}}"#, false),
        (r#"{"error":{"message":"no","code":"content_filter"}}"#, false),
        (r#"{"error":{"message":"no","code":"data_inspection_failed"}}"#, false),
        (r#"{"error":{"message":"no","code":"json_validate_failed"}}"#, false),
    ] {
        assert_eq!(terms(400, body), expected, "{body}");
    }
}
