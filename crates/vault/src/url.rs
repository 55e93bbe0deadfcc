//! Text that is a URL, and may hold a password that is never shown.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{HIDDEN, Secret};

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
    pub fn password(&self) -> Option<Secret> {
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

/// A URL without the passwords in it.
///
/// Works on text that is no valid URL too, and rather hides too much than too little.
pub fn redact_url(url: &str) -> String {
    let (body, query) = url.split_once('?').unwrap_or((url, ""));
    let rest = body.split_once("://").map_or(body, |(_, rest)| rest);
    let scheme = &body[..body.len() - rest.len()];
    let body = match rest.rsplit_once('@') {
        Some((login, host)) if !scheme.is_empty() || login.contains(':') => {
            let user = login
                .split_once(':')
                .map_or(String::new(), |(user, _)| format!("{user}:"));
            format!("{scheme}{user}{HIDDEN}@{host}")
        }
        _ => body.to_owned(),
    };
    let parameter = |pair: &str| match pair.split_once('=') {
        Some((name, _))
            if ["pass", "secret", "token", "key"]
                .iter()
                .any(|word| name.contains(word)) =>
        {
            format!("{name}={HIDDEN}")
        }
        _ => pair.to_owned(),
    };
    match query {
        "" => body,
        _ => format!(
            "{body}?{}",
            query.split('&').map(parameter).collect::<Vec<_>>().join("&")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_are_hidden_wherever_they_stand() {
        let cases = [
            (
                "postgres://ada:hunter2@db/clifford",
                "postgres://ada:[secret]@db/clifford",
            ),
            (
                "postgres://ada:hun/t@r2@db/clifford",
                "postgres://ada:[secret]@db/clifford",
            ),
            ("postgress://:hunter2@db", "postgress://:[secret]@db"),
            ("https://key@proxy.example/v1", "https://[secret]@proxy.example/v1"),
            (
                "postgres://db/clifford?user=ada&password=hunter2",
                "postgres://db/clifford?user=ada&password=[secret]",
            ),
            (
                "https://models.example/v1?api_key=k",
                "https://models.example/v1?api_key=[secret]",
            ),
            ("ada:hunter2@db", "ada:[secret]@db"),
            ("@ada", "@ada"),
            ("sqlite:clifford.db", "sqlite:clifford.db"),
            ("not a url", "not a url"),
        ];
        assert_eq!(
            cases.map(|(url, _)| redact_url(url)),
            cases.map(|(_, shown)| shown.to_owned())
        );
    }
}
