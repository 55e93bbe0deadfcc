//! Why a request to a model is refused.

use serde_json::{Value, json};

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) status: u16,
    pub(crate) message: String,
    pub(crate) param: Option<&'static str>,
    pub(crate) code: Option<&'static str>,
}

impl Fault {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            param: None,
            code: None,
        }
    }

    /// A field of the request is wrong.
    pub(crate) fn bad(param: &'static str, message: impl Into<String>) -> Self {
        Self {
            param: Some(param),
            ..Self::new(400, message)
        }
    }

    pub(crate) fn coded(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    pub(crate) fn body(&self) -> Value {
        json!({"error": {"message": self.message, "type": "invalid_request_error", "param": self.param, "code": self.code}})
    }
}
