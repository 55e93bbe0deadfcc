//! `[http]`: the API and the dashboard.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use clifford_vault::{SecretSource, Url};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The environment variable that holds an owner token given from outside, unless `[http]` names another.
pub(super) const TOKEN_VARIABLE: &str = "CLIFFORD_API_TOKEN";

/// The API and the dashboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// Whether the API is served.
    pub enabled: bool,
    /// The address and port to listen on. Put a proxy with TLS before anything but loopback. With `127.0.0.1` it listens
    /// on `::1` as well, and the other way round: `localhost` is both.
    #[schemars(with = "String", extend("format" = "socket-address"))]
    pub bind: SocketAddr,
    /// An owner's token from outside, besides those of `clifford token`. Without this variable there is none.
    #[schemars(extend("writeOnly" = true))]
    pub token: SecretSource,
    /// The address by which people reach the dashboard, such as that of a proxy with TLS; for the links that let them in.
    /// Its host is accepted as those of `allowed_hosts` are. Without it, `bind`, by the name `localhost` where that is it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "https://bot.example.org")]
    pub public_url: Option<Url>,
    /// The longest time of a request; streams and `?wait=` have their own limits.
    #[schemars(range(min = 1, max = 3600))]
    pub request_timeout_seconds: u64,
    /// The largest body of a request.
    #[schemars(range(min = 1024, max = 1_073_741_824))]
    pub max_body_bytes: u64,
    /// The most connections at a time. Beyond that, a new connection replaces an idle one.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_connections: u32,
    /// The most connections from one address of another machine; a proxy on this machine is not limited.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_connections_per_address: u32,
    /// The most streams that one token has open, of runs and of live events.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_streams_per_token: u32,
    /// The longest time for the head of a connection's first request.
    #[schemars(range(min = 1, max = 3600))]
    pub header_timeout_seconds: u64,
    /// Further names of the API, such as that of a proxy. A request with any other `Host` is refused, so that no web
    /// page can reach the API by a name of its own (DNS rebinding). `localhost` and the addresses that it listens on
    /// are always accepted. If `bind` is not a loopback address and this is empty, every name is accepted.
    pub allowed_hosts: Vec<String>,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            enabled: true,
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 8088)),
            token: SecretSource::Env(TOKEN_VARIABLE.to_owned()),
            public_url: None,
            request_timeout_seconds: 30,
            max_body_bytes: 1024 * 1024,
            max_connections: 1024,
            max_connections_per_address: 256,
            max_streams_per_token: 32,
            header_timeout_seconds: 5,
            allowed_hosts: Vec::new(),
        }
    }
}

impl Http {
    /// The address by which people reach the dashboard, without a slash at its end. Browsers have passkeys for names
    /// only, so it has one where it can.
    pub fn address(&self) -> String {
        let is_localhost = match self.bind.ip() {
            IpAddr::V4(ip) => ip == Ipv4Addr::LOCALHOST || ip.is_unspecified(),
            IpAddr::V6(ip) => ip.is_loopback() || ip.is_unspecified(),
        };
        match &self.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None if is_localhost => format!("http://localhost:{}", self.bind.port()),
            None => self.local_address(),
        }
    }

    /// Whether it is reached beyond this machine, and nothing tells of a proxy with TLS before it.
    pub fn is_open(&self) -> bool {
        let has_tls = self
            .public_url
            .as_ref()
            .is_some_and(|url| url.as_str().starts_with("https://"));
        !self.bind.ip().is_loopback() && !has_tls
    }

    /// The address by which programs of this machine reach the API.
    pub fn local_address(&self) -> String {
        let ip = match self.bind.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}", SocketAddr::new(ip, self.bind.port()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_reach_the_dashboard_by_its_public_address_or_localhost_or_where_it_listens() {
        for (bind, public, expected) in [
            ("127.0.0.1:8088", None, "http://localhost:8088"),
            ("0.0.0.0:80", None, "http://localhost:80"),
            ("[::1]:8088", None, "http://localhost:8088"),
            ("[::]:8088", None, "http://localhost:8088"),
            ("127.0.0.2:8088", None, "http://127.0.0.2:8088"),
            ("192.0.2.7:8088", None, "http://192.0.2.7:8088"),
            (
                "0.0.0.0:80",
                Some("https://bot.example.org/"),
                "https://bot.example.org",
            ),
        ] {
            let http = Http {
                bind: bind.parse().unwrap(),
                public_url: public.map(Url::from),
                ..Http::default()
            };
            assert_eq!(http.address(), expected);
        }
    }

    #[test]
    fn an_address_beyond_this_machine_is_open_unless_people_reach_it_by_tls() {
        for (bind, public, expected) in [
            ("127.0.0.1:8088", None, false),
            ("0.0.0.0:8088", None, true),
            ("0.0.0.0:8088", Some("http://bot.example.org"), true),
            ("0.0.0.0:8088", Some("https://bot.example.org"), false),
            ("[::]:8088", None, true),
        ] {
            let http = Http {
                bind: bind.parse().unwrap(),
                public_url: public.map(Url::from),
                ..Http::default()
            };
            assert_eq!(http.is_open(), expected, "{bind} {public:?}");
        }
    }
}
