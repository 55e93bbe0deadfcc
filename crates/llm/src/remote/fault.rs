//! The meaning of a server's error for the caller.

mod denial;
mod envelope;

use std::time::Duration;

use clifford_llm_api::model::{Denial, ModelError};
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;

pub(crate) use self::envelope::is_told;
use super::length::{self, TooLong};

/// Characters of a server's message that are kept.
const LONGEST_MESSAGE: usize = 400;

/// An error as the server told it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The HTTP status, or what amounts to it.
    pub(crate) status: u16,
    /// The server's words for it: `code`, `type` and their like.
    code: String,
    /// Its message.
    pub(crate) message: String,
    /// How long it asks to wait.
    after: Option<Duration>,
    /// It says that the request is too long.
    pub(crate) too_long: Option<TooLong>,
    /// It says what it does not accept.
    denial: Option<Denial>,
    /// What the model wrote, which the server does not let pass as the form that was asked for.
    pub(crate) written: Option<String>,
}

/// Codes by which a server says that its model wrote something that is not of the form: Groq's.
const SLIPPED: [&str; 2] = ["json_validate_failed", "tool_use_failed"];
/// Codes of a filter.
const FILTERED: [&str; 4] = ["content_filter", "content_policy", "moderation", "data_inspection"];
/// Words by which servers say that they cannot hold a reply to its form, with a status that means something else:
/// llama.cpp and Ollama, OpenRouter, vLLM.
const FORM: [&str; 5] = [
    "parse grammar",
    "invalid json schema in format",
    "handle the requested parameters",
    "does not support json mode",
    "failed to compile schema",
];

/// The settings that errors of one provider name: those that may be wrong.
pub(crate) struct ProviderSettings<'a> {
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) base_url: &'a str,
}

impl Fault {
    /// Reads the answer of a status that is no success.
    pub(crate) fn from_response(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let body = String::from_utf8_lossy(body);
        let body = body.trim_start_matches('\u{feff}');
        let value = match serde_json::from_str(body) {
            Ok(value) => value,
            // A page for people, from a proxy most likely.
            Err(_) if body.trim_start().starts_with('<') => Value::Null,
            Err(_) => Value::String(body.to_owned()),
        };
        let mut fault = Self::read(&value, Some(status), told_wait(headers));
        if let Some(place) = headers.get(LOCATION).filter(|_| (300..400).contains(&status)) {
            // Not followed: the key would go along.
            let place = String::from_utf8_lossy(place.as_bytes());
            let path = place.split('?').next().unwrap_or_default();
            let shown = Some(super::shown_url(&place)).filter(|url| !url.is_empty());
            fault.message = format!("it redirects to {}", shown.as_deref().unwrap_or(path));
        }
        fault
    }

    /// A page for people in the place of a reply: of a dashboard, where the address lacks `/v1`, most likely.
    pub(crate) fn web_page() -> Self {
        Self {
            status: 200,
            message: "a web page in the place of a reply".to_owned(),
            denial: Some(Denial::Model),
            ..Self::default()
        }
    }

    /// Reads an error that came with status 200, or within a stream.
    pub(crate) fn from_value(error: &Value) -> Self {
        Self::read(error, None, None)
    }

    fn read(body: &Value, status: Option<u16>, after: Option<Duration>) -> Self {
        let told = envelope::read(body);
        let after = after.or(told.after).map(|wait| wait.min(LONGEST_WAIT));
        let status = status.or(told.status);
        let denial = denial::read(status, &told.code, &told.words, after.is_some());
        let by_code = || denial.map_or_else(|| status_of(&told.code), denial::status_of);
        let status = status.unwrap_or_else(by_code);
        let too_long = length::read(status, &told.code, &told.words);
        Self {
            status,
            after,
            too_long: too_long.filter(|_| may_be_length(status)),
            denial,
            code: told.code,
            message: told.message,
            written: told.written,
        }
    }

    /// Whether it says that the server cannot hold a reply to the form, or not by these parameters.
    pub(crate) fn blames_form(&self) -> bool {
        let message = self.message.to_lowercase();
        matches!(self.status, 404 | 500..) && FORM.iter().any(|words| message.contains(words))
    }

    /// Whether the way in which the request was put may be to blame, as far as it says nothing else.
    pub(crate) fn may_be_of_terms(&self) -> bool {
        let is_known = self.too_long.is_some() || self.denial.is_some() || self.after.is_some();
        !is_known && !self.names(&SLIPPED) && !self.names(&FILTERED)
    }

    fn names(&self, codes: &[&str]) -> bool {
        codes.iter().any(|code| self.code.contains(code))
    }

    /// Says what the caller may do. `clean` strikes secrets out of what the server said.
    pub(crate) fn into_error(self, settings: &ProviderSettings<'_>, clean: impl Fn(&str) -> String) -> ModelError {
        let provider = settings.provider.to_owned();
        let reason = format!("status {}{}", self.status, described(&clean(&self.message)));
        if self.names(&FILTERED) {
            return ModelError::Refused { provider, reason };
        }
        if self.names(&SLIPPED) {
            return ModelError::Overloaded { provider, reason };
        }
        if self.blames_form() && self.denial.is_none() {
            return ModelError::BadRequest { provider, reason };
        }
        let denial = self.denial.or(denial::of_status(self.status));
        match (self.too_long, denial) {
            // No shorter request is paid for either.
            (Some(TooLong { window, in_bytes }), denial) if denial != Some(Denial::Balance) => ModelError::TooLong {
                provider,
                window,
                in_bytes,
            },
            (_, Some(denial)) => ModelError::Unauthorised {
                remedy: settings.remedy(denial),
                provider,
                reason,
                denial,
            },
            (_, None) => match (self.status, self.after) {
                (408 | 409 | 425 | 429 | 500.., Some(after)) => ModelError::Later { provider, after },
                (408 | 409 | 425 | 429 | 500.., None) => ModelError::Overloaded { provider, reason },
                _ => ModelError::BadRequest { provider, reason },
            },
        }
    }
}

impl ProviderSettings<'_> {
    /// The setting to look at.
    fn remedy(&self, denial: Denial) -> String {
        let Self {
            provider,
            model,
            base_url,
        } = self;
        match denial {
            Denial::Key => format!("check `key` of provider `{provider}`"),
            Denial::Permission => {
                format!("check what `key` of provider `{provider}` may do, and whether it may use `model` ({model})")
            }
            Denial::Model => format!("check `model` ({model}) and `base_url` ({base_url}) of provider `{provider}`"),
            Denial::Balance => {
                format!("look at the balance and limits of the account behind `key` of provider `{provider}`")
            }
        }
    }
}

/// Whether a refusal of this status may be one for length: a wrong key never is, whatever its text says.
const fn may_be_length(status: u16) -> bool {
    !matches!(status, 300..=399 | 401..=407 | 410)
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
mod tests;
