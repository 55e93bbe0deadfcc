//! Helpers that the tests of the clients share: a request, and a sink that remembers.

use std::error::Error;

use clifford_llm_api::model::{Message, Request, Role, Sink, Usage};

/// The result of every test.
pub type TestResult = Result<(), Box<dyn Error>>;

/// A message of the system (8 tokens by rule of thumb) and one of the user (1 token).
pub fn request() -> Request {
    let message = |role, content: &str| Message {
        role,
        content: content.to_owned(),
    };
    let messages = vec![
        message(Role::System, "You answer with a JSON object."),
        message(Role::User, "Hi"),
    ];
    Request {
        messages,
        ..Request::default()
    }
}

/// Everything that a sink was told, in order; a reset is `None`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heard(pub Vec<Option<String>>);

impl Heard {
    /// The text since the last reset.
    pub fn text(&self) -> String {
        let start = self.0.iter().rposition(Option::is_none).map_or(0, |at| at + 1);
        self.0[start..].iter().flatten().map(String::as_str).collect()
    }
}

impl Sink for Heard {
    fn text(&mut self, delta: &str) {
        self.0.push(Some(delta.to_owned()));
    }

    fn reset(&mut self) {
        self.0.push(None);
    }

    fn began(&mut self, _: &str, _: &str) {}

    fn used(&mut self, _: Usage) {}
}
