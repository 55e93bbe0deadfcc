//! The addresses that may be fetched at all, before anything is looked up: a pure rule.

use std::{fmt, net::IpAddr, str::FromStr};

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::net::refused::Refused;

/// The most bytes of an address.
const LONGEST: usize = 4096;

/// Endings of names that only a machine or a network of one's own knows.
const LOCAL: [&str; 9] = [
    "localhost",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
];

/// A host that the owner allows: `example.org` on the web's own ports, `example.org:8080` on that one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AllowedHost {
    host: Host<String>,
    port: Option<u16>,
}

impl AllowedHost {
    fn covers(&self, url: &Url) -> bool {
        let same = url.host().is_some_and(|host| bare(host.to_owned()) == self.host);
        let port = url.port_or_known_default();
        same && self
            .port
            .map_or(matches!(port, Some(80 | 443)), |allowed| port == Some(allowed))
    }
}

/// The text is no host.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no host; expected one as `intranet.example` or `127.0.0.1:8080`")]
pub struct NoHost(String);

impl FromStr for AllowedHost {
    type Err = NoHost;

    fn from_str(text: &str) -> Result<Self, NoHost> {
        let fault = || NoHost(text.to_owned());
        // Not a scheme of the web: its own port would not be told from none.
        let url = Url::parse(&format!("https://{text}")).map_err(|_| fault())?;
        let plain = url.path() == "/" && !text.contains(['/', '@', '?', '#', '\\', '*']);
        let host = url.host().filter(|_| plain).ok_or_else(fault)?;
        let port = if text.ends_with(":443") { Some(443) } else { url.port() };
        Ok(Self {
            host: bare(host.to_owned()),
            port,
        })
    }
}

impl TryFrom<String> for AllowedHost {
    type Error = NoHost;

    fn try_from(text: String) -> Result<Self, NoHost> {
        text.parse()
    }
}

impl From<AllowedHost> for String {
    fn from(host: AllowedHost) -> Self {
        host.to_string()
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => write!(f, "{}", self.host),
        }
    }
}

/// The rule by which an address may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// If it is of the public internet, which its host's addresses still have to prove.
    Public,
    /// Because the owner allows it.
    Allowed,
}

/// Reads an address as it is written: what comes out is what is judged, compared and fetched. Control characters are
/// refused: most readers drop them without a word, so that what is read is not what is called.
///
/// # Errors
/// It is none, or holds what shows nothing.
pub fn parse(text: &str) -> Result<Url, Refused> {
    let text = text.trim();
    let url = Url::parse(text).map_err(|_| Refused::NoAddress)?;
    if text.chars().any(char::is_control) {
        return Err(Refused::Characters);
    }
    Ok(url)
}

/// Whether an address may be fetched, as far as can be told from the address itself. Ways to write an IPv4 address
/// (decimal, octal, hexadecimal, full-width) were made one by [`parse`].
///
/// # Errors
/// Why it may not.
pub fn judge(url: &Url, allowed: &[AllowedHost], is_public: fn(IpAddr) -> bool) -> Result<Reach, Refused> {
    if url.as_str().len() > LONGEST {
        return Err(Refused::Length);
    }
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Refused::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Refused::Credentials);
    }
    if allowed.iter().any(|host| host.covers(url)) {
        return Ok(Reach::Allowed);
    }
    let public = match url.host().map(|host| bare(host.to_owned())) {
        None => return Err(Refused::NoAddress),
        Some(Host::Ipv4(address)) => is_public(address.into()),
        Some(Host::Ipv6(address)) => is_public(address.into()),
        Some(Host::Domain(name)) => !is_local(&name),
    };
    if !public {
        return Err(Refused::Address);
    }
    match url.port_or_known_default() {
        Some(80 | 443) => Ok(Reach::Public),
        _ => Err(Refused::Port),
    }
}

/// A name without the dot that may end it.
fn bare(host: Host<String>) -> Host<String> {
    match host {
        Host::Domain(name) => Host::Domain(name.strip_suffix('.').map(str::to_owned).unwrap_or(name)),
        address => address,
    }
}

/// A name without a dot is one of the own network, too.
fn is_local(name: &str) -> bool {
    !name.contains('.')
        || LOCAL
            .iter()
            .any(|ending| name.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.')))
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
