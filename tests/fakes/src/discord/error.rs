//! Discord's errors, and the check for fields that it does not know.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// A refusal as Discord writes it: <https://docs.discord.com/developers/reference#error-messages>, with the codes of
/// <https://docs.discord.com/developers/topics/opcodes-and-status-codes#json>
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) code: u64,
    pub(super) message: String,
    pub(super) errors: Option<Value>,
}

impl Refusal {
    pub(super) fn new(status: u16, code: u64, message: &str) -> Self {
        Self {
            status,
            code,
            message: message.to_owned(),
            errors: None,
        }
    }

    /// `50035`: one field is wrong.
    pub(super) fn field(name: &str, code: &str, message: impl Into<String>) -> Self {
        let errors = json!({name: {"_errors": [{"code": code, "message": message.into()}]}});
        Self {
            errors: Some(errors),
            ..Self::new(400, 50_035, "Invalid Form Body")
        }
    }

    /// A refusal that only a mistake of the client can bring about.
    pub(super) fn is_violation(&self) -> bool {
        matches!(self.code, 50_035 | 50_006 | 40_060 | 50_109)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut body = json!({"message": self.message, "code": self.code});
        if let Some(errors) = self.errors {
            body["errors"] = errors;
        }
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        (status, Json(body)).into_response()
    }
}

pub(super) fn unauthorized() -> Response {
    Refusal::new(401, 0, "401: Unauthorized").into_response()
}

/// Refuses an object that has other fields than these.
pub(super) fn only(name: &str, value: &Value, known: &[&str]) -> Result<(), Refusal> {
    let Some(object) = value.as_object() else {
        return Err(Refusal::field(
            name,
            "DICT_TYPE_CONVERT",
            "Only dictionaries may be used in a DictType",
        ));
    };
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Refusal::field(
            key,
            "UNKNOWN_FIELD",
            format!("`{name}` has no such field"),
        )),
        None => Ok(()),
    }
}
