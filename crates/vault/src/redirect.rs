//! Redirects of servers that are sent secrets. None is followed: the secret would go along to somebody else.

/// A server answers with another address in the place of a reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it redirects to {place}, which is not followed: name the server itself in {setting}")]
pub struct Redirected {
    place: String,
    setting: String,
}

impl Redirected {
    /// `location`: as the server names it. Only its server is shown, of one on the same server its path: a query, a
    /// password or a path elsewhere may hold a secret. `setting`: the one that names the server.
    pub fn new(location: &str, setting: impl Into<String>) -> Self {
        let place = match ::url::Url::parse(location) {
            Ok(url) if url.has_host() => url.origin().ascii_serialization(),
            Ok(url) => format!("{}:", url.scheme()),
            Err(_) => {
                let path = location.split(['?', '#']).next().unwrap_or_default();
                path.chars().filter(|c| !c.is_control()).take(200).collect()
            }
        };
        Self {
            place,
            setting: setting.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Redirected;

    #[test]
    fn a_redirect_is_told_without_secrets() {
        for (location, place) in [
            ("https://api.example/v1?key=1", "https://api.example"),
            ("http://ada:secret@127.0.0.1:8080/bot1:a/getMe", "http://127.0.0.1:8080"),
            ("/v2/x?key=1", "/v2/x"),
            ("//api.example/x", "//api.example/x"),
            ("file:///etc/passwd", "file:"),
            ("a\r\nb", "ab"),
        ] {
            assert_eq!(
                Redirected::new(location, "x.url").to_string(),
                format!("it redirects to {place}, which is not followed: name the server itself in x.url")
            );
        }
    }
}
