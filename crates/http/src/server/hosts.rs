//! The check of a request's `Host` against this server's names. A web page that reaches it by a name of its own (DNS
//! rebinding) is refused. Pure.

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, Version, header, uri::Authority};

use super::super::problem::{Code, Problem};

/// The names by which a server is reached.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    bound: IpAddr,
    allowed: Vec<String>,
}

impl Hosts {
    /// The names of a server that listens there; `allowed`: further names.
    pub(super) fn new(bound: IpAddr, allowed: &[String]) -> Self {
        let allowed = allowed.iter().map(|name| plain(name)).collect();
        Self { bound, allowed }
    }

    /// Takes one more name. It does not end that every name is right where none are configured.
    pub(super) fn allow(&mut self, name: &str) {
        if self.bound.is_loopback() || !self.allowed.is_empty() {
            self.allowed.push(plain(name));
        }
    }

    /// Checks a request that came in at a local address.
    ///
    /// # Errors
    /// It is for another host, or for none.
    pub(super) fn check(
        &self,
        (version, uri, headers): (Version, &Uri, &HeaderMap),
        local: Option<IpAddr>,
    ) -> Result<(), Problem> {
        let mut named = headers.get_all(header::HOST).iter();
        let unclear = || Problem::new(Code::InvalidHeader, "send one Host header").of_field("Host");
        let host = match (uri.host(), named.next(), named.next()) {
            (_, _, Some(_)) => return Err(unclear()),
            (Some(host), _, None) => plain(host),
            (None, Some(host), None) => {
                let text = host.to_str().map_err(|_| unclear())?;
                let authority: Authority = text.parse().map_err(|_| unclear())?;
                plain(authority.host())
            }
            // No browser leaves it out.
            (None, None, None) if version < Version::HTTP_11 => return Ok(()),
            (None, None, None) => return Err(unclear()),
        };
        if self.is_ours(&host, local) {
            return Ok(());
        }
        let detail = "it is not for a host of this server; put the name by which it is reached into http.allowed_hosts";
        Err(Problem::new(Code::UnknownHost, detail).of_field("Host"))
    }

    fn is_ours(&self, host: &str, local: Option<IpAddr>) -> bool {
        if self.allowed.iter().any(|allowed| allowed == host) {
            return true;
        }
        let beyond = !self.bound.is_loopback();
        match host.parse::<IpAddr>() {
            // An address cannot be made to mean another one; behind a router it is not even known here.
            Ok(address) => address.is_loopback() || address == self.bound || Some(address) == local || beyond,
            Err(_) => host == "localhost" || host.ends_with(".localhost") || (beyond && self.allowed.is_empty()),
        }
    }
}

/// A host as it is compared: lower case, without brackets and the dot at the end of a whole name.
fn plain(host: &str) -> String {
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(hosts: &Hosts, version: Version, uri: &str, named: &[&'static str]) -> Option<Code> {
        let mut headers = HeaderMap::new();
        for name in named {
            headers.append(header::HOST, HeaderValue::from_static(name));
        }
        let local = Some(IpAddr::from([192, 0, 2, 7]));
        let checked = hosts.check((version, &uri.parse().unwrap(), &headers), local);
        let codes = [Code::UnknownHost, Code::InvalidHeader];
        checked
            .err()
            .and_then(|problem| codes.into_iter().find(|code| problem.is(*code)))
    }

    #[test]
    fn a_server_on_loopback_is_reached_by_its_addresses_localhost_and_what_is_configured() {
        let hosts = Hosts::new(IpAddr::from([127, 0, 0, 1]), &["Bot.example.org".to_owned()]);
        for (host, expected) in [
            ("localhost", None),
            ("LOCALHOST:8088", None),
            ("bot.localhost", None),
            ("127.0.0.1:8088", None),
            ("127.9.9.9", None),
            ("[::1]:8088", None),
            ("192.0.2.7:8088", None),
            ("bot.example.org", None),
            ("bot.example.org.:443", None),
            ("evil.example.org", Some(Code::UnknownHost)),
            ("bot.example.org.evil.net", Some(Code::UnknownHost)),
            ("localhost.evil.net", Some(Code::UnknownHost)),
            ("192.0.2.8", Some(Code::UnknownHost)),
            ("0x7f.1", Some(Code::UnknownHost)),
            ("", Some(Code::InvalidHeader)),
            ("a b", Some(Code::InvalidHeader)),
        ] {
            assert_eq!(check(&hosts, Version::HTTP_11, "/", &[host]), expected, "{host}");
        }
    }

    #[test]
    fn a_host_is_named_once_or_by_the_whole_address_and_only_old_clients_leave_it_out() {
        let hosts = Hosts::new(IpAddr::from([127, 0, 0, 1]), &[]);
        let check = |version, uri, named: &[&'static str]| check(&hosts, version, uri, named);
        assert_eq!(check(Version::HTTP_11, "/", &[]), Some(Code::InvalidHeader));
        assert_eq!(check(Version::HTTP_10, "/", &[]), None);
        assert_eq!(
            check(Version::HTTP_11, "/", &["localhost", "localhost"]),
            Some(Code::InvalidHeader)
        );
        // The address goes before the header.
        assert_eq!(
            check(Version::HTTP_11, "http://evil.net/", &["localhost"]),
            Some(Code::UnknownHost)
        );
        assert_eq!(check(Version::HTTP_11, "http://localhost/", &["evil.net"]), None);
    }

    #[test]
    fn beyond_loopback_every_name_is_right_until_some_are_configured() {
        let any = IpAddr::from([0, 0, 0, 0]);
        let (open, listed) = (Hosts::new(any, &[]), Hosts::new(any, &["bot.lan".to_owned()]));
        for (host, expected) in [
            ("evil.net", Some(Code::UnknownHost)),
            ("bot.lan:8088", None),
            ("localhost", None),
            ("203.0.113.9:8088", None),
        ] {
            assert_eq!(check(&open, Version::HTTP_11, "/", &[host]), None, "{host}");
            assert_eq!(check(&listed, Version::HTTP_11, "/", &[host]), expected, "{host}");
        }
    }
}
