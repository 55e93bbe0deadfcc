//! Text that is a URL, and may hold a password that is never shown.

use std::fmt;

use clifford_vault::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::format::redact_url;

/// A URL. Printing it and writing it out hides the passwords in it; only [`Url::as_str`] has them.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Url(String);

impl Url {
    /// The whole URL, passwords included.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The password in it, if it has one, as it is written there.
    pub(super) fn password(&self) -> Option<Secret> {
        let url = ::url::Url::parse(&self.0).ok()?;
        let in_query = || {
            url.query_pairs()
                .find(|(name, _)| name == "password")
                .map(|(_, value)| value.into_owned())
        };
        url.password().map(str::to_owned).or_else(in_query).map(Secret::new)
    }
}

impl From<String> for Url {
    fn from(url: String) -> Self {
        Self(url)
    }
}

impl From<&str> for Url {
    fn from(url: &str) -> Self {
        Self(url.to_owned())
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redact_url(&self.0))
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", redact_url(&self.0))
    }
}

impl Serialize for Url {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
