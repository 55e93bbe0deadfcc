//! `[http]`: the API and the dashboard.

use std::net::{Ipv4Addr, SocketAddr};

use clifford_vault::SecretSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::secret;

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
    /// The most connections at a time; more wait.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_connections: u32,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            enabled: true,
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 8088)),
            token: secret::from_variable(TOKEN_VARIABLE),
            request_timeout_seconds: 30,
            max_body_bytes: 1024 * 1024,
            max_connections: 1024,
        }
    }
}
