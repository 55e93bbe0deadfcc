//! Answers in Telegram's envelope: <https://core.telegram.org/bots/api#making-requests>

use axum::{
    body::Body,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// A refusal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) description: String,
    pub(super) parameters: Option<Value>,
    /// The bot broke a rule that a careful one keeps.
    pub(super) violation: bool,
}

impl Refusal {
    pub(super) fn new(code: u16, description: impl Into<String>) -> Self {
        Self {
            code,
            description: description.into(),
            parameters: None,
            violation: false,
        }
    }

    /// A 400 that is kept as a violation.
    pub(super) fn violation(description: impl Into<String>) -> Self {
        Self {
            violation: true,
            ..Self::new(400, format!("Bad Request: {}", description.into()))
        }
    }

    /// A 400 that may happen to any bot.
    pub(super) fn bad(description: &str) -> Self {
        Self::new(400, format!("Bad Request: {description}"))
    }

    pub(super) fn too_many(seconds: u64) -> Self {
        Self {
            parameters: Some(json!({"retry_after": seconds})),
            ..Self::new(429, format!("Too Many Requests: retry after {seconds}"))
        }
    }

    pub(super) fn moved(to: i64) -> Self {
        Self {
            parameters: Some(json!({"migrate_to_chat_id": to})),
            ..Self::bad("group chat was upgraded to a supergroup chat")
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut body = json!({"ok": false, "error_code": self.code, "description": self.description});
        if let Some(parameters) = self.parameters {
            body["parameters"] = parameters;
        }
        let status = StatusCode::from_u16(self.code).unwrap_or(StatusCode::BAD_REQUEST);
        (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}

/// A success.
pub(super) fn ok(result: &Value) -> Response {
    let body = format!("{{\"ok\":true,\"result\":{result}}}");
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// A page of a server in front of the Bot API.
pub(super) fn page(code: u16) -> Response {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY);
    let body = format!("<html><head><title>{status}</title></head><body>nginx</body></html>");
    (status, [(header::CONTENT_TYPE, "text/html")], body).into_response()
}

/// An answer as a test wrote it.
pub(super) fn verbatim(code: u16, body: String) -> Response {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY);
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// An answer that breaks off: the client sees a lost connection.
pub(super) fn broken() -> Response {
    let chunks = futures::stream::iter([Err::<bytes::Bytes, _>(std::io::Error::other(
        "the fake broke the connection",
    ))]);
    Response::new(Body::from_stream(chunks))
}
