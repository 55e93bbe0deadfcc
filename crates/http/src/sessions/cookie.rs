//! The cookie of a session: its name, how an answer sets it, and how a request's is found.
//!
//! Cookies know no port, so a browser sends those of every server on a machine to each of them. The name therefore holds
//! the port of the address that the browser uses: to log in at one server logs nobody out of another. A session is a row
//! of the database, so each of several processes takes the cookies of all: whose secret is no session here is another
//! server's.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, header, uri::Authority};

use crate::Shared;

/// The name of the cookie at an address without a port. With a port, `_` and the port follow. It was the name at every
/// address once, so it is still taken where the other one is missing: an update logs nobody out.
pub(crate) const COOKIE: &str = "clifford_session";

/// How long a browser keeps the cookie: none keeps one for longer. The row says when the session is over, and goes on
/// with each use.
pub(super) const KEPT_FOR: Duration = Duration::from_secs(400 * 86_400);

/// The most cookies of a request that are looked up.
const MOST: usize = 8;

/// Goes with every form of a page that is shown in a session: follows from its secret, which no other site can read.
/// The answer to a request in a session carries it within this process.
#[derive(Clone)]
pub struct FormToken(pub String);

impl FormToken {
    /// The token of the session of this secret; without one, of nobody's.
    pub fn of(secret: Option<&str>) -> Self {
        // Pages that were open before an update hold tokens that begin so, by whatever name the cookie goes since.
        let session = secret.map(|secret| format!("{COOKIE}={secret}"));
        Self(clifford_vault::hash(&format!(
            "form of {}",
            session.unwrap_or_default()
        )))
    }
}

/// A cookie that may be of a session here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held<'a> {
    /// Its name.
    pub name: &'a str,
    /// The secret of its session.
    pub secret: &'a str,
}

/// The cookies of sessions that a request comes with: that of its address, the one without a port, then those of other
/// ports of the machine.
pub fn held(headers: &HeaderMap) -> Vec<Held<'_>> {
    let own = name(headers);
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'));
    let mut held: Vec<_> = pairs.filter_map(read).collect();
    held.sort_by_key(|held| (held.name != own, held.name != COOKIE));
    held.dedup_by_key(|held| held.name);
    held.truncate(MOST);
    held
}

fn read(pair: &str) -> Option<Held<'_>> {
    let (name, secret) = pair.trim().split_once('=')?;
    let rest = name.strip_prefix(COOKIE)?;
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|number| number.to_string() == port);
    let is_ours = rest.is_empty() || rest.strip_prefix('_').is_some_and(is_port);
    is_ours.then_some(Held { name, secret })
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

    /// A host, the header, and the names and secrets that are found in it.
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

    #[test]
    fn sessions_are_found_among_other_cookies_that_of_the_own_address_first() {
        const NAMELESS: &str = "clifford_session";
        const OWN: &str = "clifford_session_8088";
        const OTHER: &str = "clifford_session_8089";

        let of = |host, line| -> Vec<String> {
            let headers = headers(host, line);
            let held = held(&headers);
            held.iter()
                .map(|held| format!("{} {}", held.name, held.secret))
                .collect()
        };
        let cases: &[Case<'_>] = &[
            ("bot.example", "", &[]),
            ("bot.example", "clifford_session=clf_a", &[(NAMELESS, "clf_a")]),
            (
                "bot.example",
                "theme=dark; clifford_session=clf_a; other=1",
                &[(NAMELESS, "clf_a")],
            ),
            ("bot.example", "not_clifford_session=clf_a", &[]),
            ("bot.example", "clifford_sessions=clf_a", &[]),
            ("bot.example", "clifford_session_=clf_a; clifford_session_x=clf_a", &[]),
            ("bot.example", "clifford_session_80880=a; clifford_session_08088=a", &[]),
            (
                "bot.example",
                "clifford_session_8088=clf_b; clifford_session=clf_a",
                &[(NAMELESS, "clf_a"), (OWN, "clf_b")],
            ),
            (
                "localhost:8088",
                "clifford_session=clf_c; clifford_session_8089=clf_b; clifford_session_8088=clf_a",
                &[(OWN, "clf_a"), (NAMELESS, "clf_c"), (OTHER, "clf_b")],
            ),
            ("[::1]:8088", "clifford_session_8089=clf_b", &[(OTHER, "clf_b")]),
            (
                "127.0.0.1:8088",
                "clifford_session_8088=a; clifford_session_8088=b",
                &[(OWN, "a")],
            ),
        ];
        for (host, line, expected) in cases {
            let expected: Vec<_> = expected
                .iter()
                .map(|(name, secret)| format!("{name} {secret}"))
                .collect();
            assert_eq!(of(host, line), expected, "{host}: {line}");
        }
        let many: &str = (1..50)
            .map(|port| format!("clifford_session_{port}=a; "))
            .collect::<String>()
            .leak();
        assert_eq!(of("localhost:8088", many).len(), MOST);
    }

    #[test]
    fn each_session_has_a_form_token_of_its_own() {
        let of = |secret| FormToken::of(secret).0;
        assert_ne!(of(Some("a")), of(Some("b")));
        assert_ne!(of(Some("a")), of(None));
        assert_eq!(of(Some("a")).len(), 64);
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
