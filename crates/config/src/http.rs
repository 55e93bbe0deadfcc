//! `[http]`: the API and the dashboard.

use std::net::{Ipv4Addr, SocketAddr};

use clifford_vault::SecretSource;
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
    /// The address and port to listen on. Put a proxy with TLS before anything but loopback.
    #[schemars(with = "String", extend("format" = "socket-address"))]
    pub bind: SocketAddr,
    /// An owner token given from outside, beside those that `clifford token` makes. As long as this variable is
    /// not set, there is none.
    #[schemars(extend("writeOnly" = true))]
    pub token: SecretSource,
    /// How long a request may take; streams and `?wait=` have their own limits.
    #[schemars(range(min = 1, max = 3600))]
    pub request_timeout_seconds: u64,
    /// The largest body of a request.
    #[schemars(range(min = 1024, max = 1_073_741_824))]
    pub max_body_bytes: u64,
    /// The most connections at a time. Beyond that, one on which nothing was asked gives its place to a new one.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_connections: u32,
    /// The most connections from one address of another machine; a proxy on this machine is not limited.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_connections_per_address: u32,
    /// The most streams of runs that one token has open.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_streams_per_token: u32,
    /// How long a caller may take to send the head of their first request.
    #[schemars(range(min = 1, max = 3600))]
    pub header_timeout_seconds: u64,
    /// Further names under which the API is reached, such as that of a proxy: a request whose `Host` is another is
    /// refused, so that no web page can reach it by a name of its own. The addresses that it listens on and `localhost`
    /// are always right. Beyond loopback, every name is as long as this is empty.
    pub allowed_hosts: Vec<String>,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            enabled: true,
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 8088)),
            token: SecretSource::Env(TOKEN_VARIABLE.to_owned()),
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
