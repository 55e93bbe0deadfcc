//! A text that must not be seen.

use std::fmt;

use serde::{Serialize, Serializer};

/// The text in the place of a secret wherever it would be shown.
pub const HIDDEN: &str = "[secret]";

/// A key, token or password. Printed, logged or serialised it is [`HIDDEN`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps this text out of sight.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for whoever needs it to log in somewhere.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_shows_itself_only_when_asked_to() {
        let secret = Secret::new("hunter2");
        let shown = (
            format!("{secret:?}"),
            secret.to_string(),
            serde_json::to_string(&Some(&secret)).unwrap(),
        );
        assert_eq!(shown, ("[secret]".into(), "[secret]".into(), "\"[secret]\"".into()));
        assert_eq!(secret.expose(), "hunter2");
    }
}
