//! What a server's error means for the caller.

use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::length::{self, TooLong};
use crate::{Denial, ModelError};

/// Characters of a server's message that are kept.
const LONGEST_MESSAGE: usize = 400;

/// An error as the server told it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The HTTP status, or what amounts to it.
    pub(crate) status: u16,
    /// The server's words for it: `code` and `type`.
    code: String,
    /// What it said.
    pub(crate) message: String,
    /// How long it asks to wait.
    after: Option<Duration>,
    /// It says that the request is too long.
    pub(crate) too_long: Option<TooLong>,
}

/// What the errors of one provider name: the settings that may be wrong.
pub(crate) struct Settings<'a> {
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) base_url: &'a str,
}

impl Fault {
    /// Reads the answer of a status that is no success.
    pub(crate) fn from_response(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let body = String::from_utf8_lossy(body);
        let told = match serde_json::from_str::<Value>(&body) {
            Ok(value) => Self::from_value(value.get("error").filter(|error| !error.is_null()).unwrap_or(&value)),
            // A page for people, from a proxy most likely.
            Err(_) if body.trim_start().starts_with('<') => Self::default(),
            Err(_) => Self {
                message: body.into_owned(),
                ..Self::default()
            },
        };
        // What is no JSON has its words in the message.
        let too_long = told
            .too_long
            .or_else(|| length::read(status, &told.code, beginning(&told.message)));
        Self {
            status,
            after: retry_after(headers),
            too_long: too_long.filter(|_| may_be_length(status)),
            ..told
        }
    }

    /// Reads an error that came with status 200, or within a stream.
    pub(crate) fn from_value(error: &Value) -> Self {
        let text = |name: &str| match &error[name] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let message = match error {
            Value::String(message) => message.clone(),
            _ => [text("message"), text("detail")]
                .into_iter()
                .find(|text| !text.is_empty())
                .unwrap_or_default(),
        };
        // The parameter may be the only hint at what was not understood.
        let message = match text("param") {
            param if param.is_empty() || message.contains(&param) => message,
            param => format!("{message} (parameter {param})"),
        };
        let code = format!("{} {}", text("code"), text("type")).to_lowercase();
        let number = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        let status = number
            .filter(|code| (400..600).contains(code))
            .unwrap_or_else(|| status_of(&code));
        let too_long = length::read(status, &code, &words(error, &message));
        Self {
            status,
            code,
            message,
            after: None,
            too_long: too_long.filter(|_| may_be_length(status)),
        }
    }

    /// Says what the caller may do. `clean` strikes secrets out of what the server said.
    pub(crate) fn into_error(self, settings: &Settings<'_>, clean: impl Fn(&str) -> String) -> ModelError {
        let provider = settings.provider.to_owned();
        let reason = format!("status {}{}", self.status, described(&clean(&self.message)));
        let names = |words: &[&str]| words.iter().any(|word| self.code.contains(word));
        let unauthorised = |denial, remedy| ModelError::Unauthorised {
            provider: provider.clone(),
            reason: reason.clone(),
            denial,
            remedy,
        };
        if names(&["content_filter", "content_policy", "moderation"]) {
            return ModelError::Refused { provider, reason };
        }
        let unpaid = self.message.contains("credit balance");
        if self.status == 402 || unpaid || names(&["insufficient_quota", "billing"]) {
            let remedy = format!("look at the balance and limits of the account behind `key` of provider `{provider}`");
            return unauthorised(Denial::Balance, remedy);
        }
        if let Some(TooLong { window, in_bytes }) = self.too_long {
            return ModelError::TooLong {
                provider,
                window,
                in_bytes,
            };
        }
        match (self.status, self.after) {
            (401 | 407, _) => unauthorised(Denial::Key, format!("check `key` of provider `{provider}`")),
            (403, _) => unauthorised(
                Denial::Permission,
                format!(
                    "check what `key` of provider `{provider}` may do, and whether it may use `model` ({})",
                    settings.model
                ),
            ),
            (300..=399 | 404 | 405 | 410, _) => unauthorised(
                Denial::Model,
                format!(
                    "check `model` ({}) and `base_url` ({}) of provider `{provider}`",
                    settings.model, settings.base_url
                ),
            ),
            (408 | 409 | 425 | 429 | 500.., Some(after)) => ModelError::Later { provider, after },
            (408 | 409 | 425 | 429 | 500.., None) => ModelError::Overloaded { provider, reason },
            _ => ModelError::BadRequest { provider, reason },
        }
    }
}

/// Whether a refusal of this status may be one for length: a wrong key is none, whatever is said with it.
const fn may_be_length(status: u16) -> bool {
    !matches!(status, 300..=399 | 401..=407 | 410)
}

/// What an error says of itself. What it repeats of the request is no part of that: a person may have said anything.
fn words(error: &Value, message: &str) -> String {
    let details = error["detail"].as_array().into_iter().flatten();
    let said: String = match error.get("detail") {
        Some(Value::Array(_)) => details.filter_map(|detail| detail["msg"].as_str()).collect(),
        _ => beginning(message).to_owned(),
    };
    // What a gateway passes on of the provider's own error, and llama.cpp's field for it.
    let passed_on = match &error["metadata"]["raw"] {
        Value::String(raw) => beginning(raw).to_owned(),
        _ => String::new(),
    };
    let field = error["n_ctx"]
        .as_u64()
        .map_or_else(String::new, |tokens| format!("\"n_ctx\":{tokens}"));
    format!("{said} {passed_on} {field}")
}

/// As much of a text as an error's own words have.
fn beginning(text: &str) -> &str {
    text.char_indices()
        .nth(LONGEST_MESSAGE * 2)
        .map_or(text, |(end, _)| &text[..end])
}

/// The status that a server would have sent with an error of this code.
fn status_of(code: &str) -> u16 {
    let names = |words: &[&str]| words.iter().any(|word| code.contains(word));
    if names(&["overloaded"]) {
        529
    } else if names(&["rate_limit", "too_many"]) {
        429
    } else if names(&["permission", "forbidden"]) {
        403
    } else if names(&["api_key", "authentication", "unauthorized"]) {
        401
    } else if names(&["not_found"]) {
        404
    } else if names(&["invalid_request", "context_length", "bad_request"]) {
        400
    } else {
        500
    }
}

fn described(message: &str) -> String {
    let mut message: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
    message.retain(|character| !character.is_control());
    if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
    if message.is_empty() {
        message
    } else {
        format!(": {message}")
    }
}

/// The longest wait that is believed: a moment so far away must still be one.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// How long the server asks to wait.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    told_wait(headers).map(|wait| wait.min(LONGEST_WAIT))
}

/// The wait that the server tells. A date is measured against the server's own clock, not ours.
fn told_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    if let Some(milliseconds) = number("retry-after-ms") {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    if let Some(seconds) = number(RETRY_AFTER.as_str()) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name: &str| DateTimeParser::new().parse_timestamp(text(name)?).ok();
    let wait = date(RETRY_AFTER.as_str())?.duration_since(date(DATE.as_str())?);
    Some(Duration::try_from(wait).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
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
            assert_eq!(retry_after(&headers), expected, "{headers:?}");
        }
    }

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
            (r#"{"detail":[{"msg":"no"}]}"#, r#"[{"msg":"no"}]"#),
            ("no", "no"),
            ("<html><body>no</body></html>", ""),
            ("", ""),
        ] {
            assert_eq!(
                Fault::from_response(400, &HeaderMap::new(), body.as_bytes()).message,
                expected,
                "{body}"
            );
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
}
