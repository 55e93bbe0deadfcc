//! The cookie of a session: its name, how an answer sets it, and how a request's is found.
//!
//! Cookies know no port, so a browser sends those of every server on a machine to each of them. The name therefore holds
//! the port of the address that the browser uses: to log in at one server logs nobody out of another.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, header, uri::Authority};

use crate::Shared;

/// The name of the cookie at an address without a port. With a port, `_` and the port follow. It was the name at every
/// address once, so it is still taken where the other one is missing: an update logs nobody out.
pub(crate) const COOKIE: &str = "clifford_session";

/// How long a browser keeps the cookie: none keeps one for longer. The row says when the session is over, and goes on
/// with each use.
pub(super) const KEPT_FOR: Duration = Duration::from_secs(400 * 86_400);

/// The secret of the session that a request comes with.
pub fn secret(headers: &HeaderMap) -> Option<&str> {
    value(headers, &name(headers)).or_else(|| nameless(headers))
}

/// The secret under the name without a port.
pub(super) fn nameless(headers: &HeaderMap) -> Option<&str> {
    value(headers, COOKIE)
}

/// The name of the cookie at the address that a request was sent to.
pub(super) fn name(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.and_then(|host| host.parse::<Authority>().ok());
    match host.and_then(|host| host.port_u16()) {
        Some(port) => format!("{COOKIE}_{port}"),
        None => COOKIE.to_owned(),
    }
}

fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let mut pairs = cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// The header that gives a browser the cookie of this name for so long; for no time: that takes it back.
pub(super) fn set(name: &str, secret: &str, lasts: Duration, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    let seconds = lasts.as_secs();
    format!("{name}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}")
}

/// Whether people reach the dashboard by TLS.
pub(super) fn is_secure(api: &Shared, headers: &HeaderMap) -> bool {
    const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
    let public = api.settings.public_url.as_ref();
    public.is_some_and(|url| url.as_str().starts_with("https://"))
        || headers.get(PROTO).is_some_and(|proto| proto.as_bytes() == b"https")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(host: &'static str, line: &'static str) -> HeaderMap {
        let pairs = [(header::HOST, host), (header::COOKIE, line)];
        let pairs = pairs
            .into_iter()
            .map(|(name, value)| (name, HeaderValue::from_static(value)));
        pairs.collect()
    }

    #[test]
    fn the_secret_of_a_session_is_found_among_other_cookies() {
        for (line, expected) in [
            ("clifford_session=clf_a", Some("clf_a")),
            ("theme=dark; clifford_session=clf_a; other=1", Some("clf_a")),
            ("not_clifford_session=clf_a", None),
            ("clifford_sessions=clf_a", None),
            ("clifford_session_8088=clf_a", None),
            ("", None),
        ] {
            assert_eq!(secret(&headers("bot.example", line)), expected, "{line}");
        }
    }

    #[test]
    fn a_server_takes_the_cookie_of_its_own_port_before_the_one_without_a_port() {
        for host in ["localhost:8088", "127.0.0.1:8088", "[::1]:8088", "bot.example:8088"] {
            for (line, expected) in [
                ("clifford_session_8088=clf_a", Some("clf_a")),
                (
                    "clifford_session_8089=clf_b; clifford_session_8088=clf_a",
                    Some("clf_a"),
                ),
                ("clifford_session=clf_b; clifford_session_8088=clf_a", Some("clf_a")),
                ("clifford_session=clf_b; clifford_session_8089=clf_c", Some("clf_b")),
                ("clifford_session_80880=clf_b; clifford_session_808=clf_c", None),
            ] {
                assert_eq!(secret(&headers(host, line)), expected, "{host}: {line}");
            }
        }
    }

    #[test]
    fn a_cookie_is_for_this_server_alone() {
        for (host, name) in [
            ("localhost:8088", "clifford_session_8088"),
            ("[::1]:80", "clifford_session_80"),
            ("bot.example", "clifford_session"),
            ("[::1]", "clifford_session"),
            ("bot.example:", "clifford_session"),
            ("bot.example:x", "clifford_session"),
            ("", "clifford_session"),
        ] {
            assert_eq!(self::name(&headers(host, "")), name, "{host}");
        }
        let plain = set("clifford_session_8088", "clf_a", Duration::from_secs(9), false);
        assert_eq!(
            plain,
            "clifford_session_8088=clf_a; Path=/; HttpOnly; SameSite=Strict; Max-Age=9"
        );
        assert!(set(COOKIE, "", Duration::ZERO, true).ends_with("; Max-Age=0; Secure"));
    }
}
