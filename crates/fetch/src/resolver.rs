//! Looks hosts up, and lets through only those of their addresses that may be connected to.
//!
//! The client connects to what comes out of here and looks nothing up again, so a name that changes its meaning
//! between a check and the connection gains nothing.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The resolver of hosts.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// Every address of a host. The port 0 stands for the URL's own.
    ///
    /// # Errors
    /// The name service's.
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
}

/// The system's name service.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

#[async_trait]
impl Lookup for System {
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.collect())
    }
}

/// Why a host cannot be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameError {
    #[error("no such host")]
    Unknown,
    #[error("none of its addresses may be connected to")]
    Forbidden,
}

/// Lets through the addresses that a rule permits.
pub(super) struct Filter {
    pub lookup: Arc<dyn Lookup>,
    pub permits: fn(IpAddr) -> bool,
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter").finish_non_exhaustive()
    }
}

impl Resolve for Filter {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, permits) = (Arc::clone(&self.lookup), self.permits);
        Box::pin(async move {
            let found = lookup.addresses(name.as_str()).await.map_err(|_| NameError::Unknown)?;
            if found.is_empty() {
                return Err(NameError::Unknown.into());
            }
            let permitted: Vec<_> = found.into_iter().filter(|found| permits(found.ip())).collect();
            if permitted.is_empty() {
                return Err(NameError::Forbidden.into());
            }
            Ok(Box::new(permitted.into_iter()) as Addrs)
        })
    }
}
