//! The session of a page's reader, as its forms prove it.

use axum::http::{HeaderMap, header};

/// The cookie of a session.
const COOKIE: &str = "clifford_session";
/// The field of a form that holds the session's token.
pub(crate) const FIELD: &str = "token";

/// The token of a session: follows from its cookie, which no other site can read.
pub(crate) fn form_token(headers: &HeaderMap) -> String {
    let cookies = headers.get_all(header::COOKIE).iter();
    let mut pairs = cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'));
    let session = pairs.find(|pair| {
        pair.trim()
            .strip_prefix(COOKIE)
            .is_some_and(|rest| rest.starts_with('='))
    });
    clifford_vault::hash(&format!("form of {}", session.unwrap_or_default().trim()))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn each_session_has_a_token_of_its_own() {
        let of = |cookie| {
            form_token(&HeaderMap::from_iter([(
                header::COOKIE,
                HeaderValue::from_static(cookie),
            )]))
        };
        assert_ne!(of("clifford_session=a"), of("clifford_session=b"));
        assert_ne!(of("clifford_session=a"), of("other=1"));
        assert_eq!(of("clifford_session=a"), of("other=1; clifford_session=a"));
        assert_eq!(of("clifford_session=a").len(), 64);
    }
}
