//! The session of a page's reader, as its forms prove it.

use axum::http::HeaderMap;
use clifford_http::sessions::cookie;

/// The field of a form that holds the session's token.
pub(crate) const FIELD: &str = "token";

/// The token of a session: follows from its cookie, which no other site can read.
pub(crate) fn form_token(headers: &HeaderMap) -> String {
    // Pages that were open before an update hold tokens that begin so, by whatever name the cookie goes since.
    let session = cookie::secret(headers).map(|secret| format!("clifford_session={secret}"));
    clifford_vault::hash(&format!("form of {}", session.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

    use super::*;

    #[test]
    fn each_session_has_a_token_of_its_own() {
        let of = |cookie| {
            let pairs = [(header::COOKIE, cookie), (header::HOST, "localhost:8088")];
            let pairs = pairs
                .into_iter()
                .map(|(name, value)| (name, HeaderValue::from_static(value)));
            form_token(&pairs.collect())
        };
        assert_ne!(of("clifford_session=a"), of("clifford_session=b"));
        assert_ne!(of("clifford_session=a"), of("other=1"));
        assert_eq!(of("clifford_session=a"), of("other=1; clifford_session=a"));
        assert_eq!(of("clifford_session=a"), of("clifford_session_8088=a"));
        assert_eq!(of("clifford_session_8089=a"), of(""));
        assert_eq!(of("clifford_session=a").len(), 64);
    }
}
