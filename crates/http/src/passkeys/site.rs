//! The dashboard as a browser knows it: by the host of the request, which is one of this server's (`server/hosts.rs`), and
//! the origins that pages there may have. Pure.

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header, uri::Authority};
use clifford_vault::passkey::Site;

use crate::{
    Shared,
    problem::{Code, Problem},
};

/// The site of a request.
///
/// # Errors
/// It came by an address, and browsers have passkeys for names only.
pub(super) fn of(api: &Shared, headers: &HeaderMap) -> Result<Site, Problem> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let public = api.settings.public_url.as_ref();
    site(public.map(|url| url.as_str()), host.unwrap_or_default()).ok_or_else(|| {
        let detail = "browsers keep a passkey for a name, not for an address: on this machine open the dashboard by \
                      http://localhost, with the same port, elsewhere by the name in http.public_url";
        Problem::new(Code::WrongState, detail)
    })
}

/// The site of a host, with its port. Its pages come by TLS, but those of this machine; at the public address, as that
/// says.
fn site(public: Option<&str>, host: &str) -> Option<Site> {
    let authority: Authority = host.parse().ok()?;
    let name = authority.host().to_ascii_lowercase();
    if name.is_empty() || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() {
        return None;
    }
    let origins = match public.and_then(origin) {
        Some((of, origin)) if of == name => vec![origin],
        _ => {
            let here = authority.as_str().to_ascii_lowercase();
            let is_local = name == "localhost" || name.ends_with(".localhost");
            let schemes = if is_local { &["http", "https"][..] } else { &["https"] };
            schemes.iter().map(|scheme| format!("{scheme}://{here}")).collect()
        }
    };
    Some(Site { host: name, origins })
}

/// The host of an address, and its origin as browsers write it.
fn origin(url: &str) -> Option<(String, String)> {
    let url: Uri = url.parse().ok()?;
    let (scheme, host) = (url.scheme_str()?, url.host()?.to_ascii_lowercase());
    let default = if scheme == "https" { 443 } else { 80 };
    let port = url.port_u16().filter(|port| *port != default);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let origin = format!("{scheme}://{host}{port}");
    Some((host, origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_the_name_of_the_request_and_the_origins_of_pages_there() {
        let public = Some("https://Bot.example.org/");
        for (public, host, expected) in [
            (
                None,
                "localhost:8088",
                Some(("localhost", vec!["http://localhost:8088", "https://localhost:8088"])),
            ),
            (
                None,
                "Bot.localhost",
                Some(("bot.localhost", vec!["http://bot.localhost", "https://bot.localhost"])),
            ),
            (None, "bot.lan:8443", Some(("bot.lan", vec!["https://bot.lan:8443"]))),
            (
                None,
                "notlocalhost",
                Some(("notlocalhost", vec!["https://notlocalhost"])),
            ),
            (
                public,
                "BOT.example.org",
                Some(("bot.example.org", vec!["https://bot.example.org"])),
            ),
            // A proxy may say its port or leave it out: a page is where the settings say.
            (
                public,
                "bot.example.org:443",
                Some(("bot.example.org", vec!["https://bot.example.org"])),
            ),
            (
                Some("https://bot.example.org:443"),
                "bot.example.org",
                Some(("bot.example.org", vec!["https://bot.example.org"])),
            ),
            (
                Some("http://bot.example.org:8080"),
                "bot.example.org:8080",
                Some(("bot.example.org", vec!["http://bot.example.org:8080"])),
            ),
            (
                public,
                "other.example.org",
                Some(("other.example.org", vec!["https://other.example.org"])),
            ),
            (
                public,
                "localhost:8088",
                Some(("localhost", vec!["http://localhost:8088", "https://localhost:8088"])),
            ),
            (None, "127.0.0.1:8088", None),
            (None, "[::1]:8088", None),
            (public, "192.0.2.7", None),
            (None, "", None),
            (None, "a b", None),
        ] {
            let expected = expected.map(|(host, origins)| Site {
                host: host.to_owned(),
                origins: origins.into_iter().map(str::to_owned).collect(),
            });
            assert_eq!(site(public, host), expected, "{host}");
        }
    }
}
