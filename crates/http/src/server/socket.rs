//! A bound address. Browsers have passkeys for `localhost` and for no address, and they try both loopback addresses for it.
//! So the links of people lead to `localhost`, and a server on one loopback address listens on its twin as well: else
//! another user's program could listen there, and would be handed the link that lets somebody in.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use clifford_config as config;
use clifford_vault::Url;
use tokio::net::TcpListener;

/// The address cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error(
    "{key}: {address} cannot be listened on: {error}; choose another address or port, stop what uses it, or {way_out}"
)]
pub struct BindError {
    key: &'static str,
    way_out: &'static str,
    address: SocketAddr,
    error: io::Error,
}

impl BindError {
    /// Whether another program listens there.
    pub fn is_in_use(&self) -> bool {
        self.error.kind() == io::ErrorKind::AddrInUse
    }
}

/// A bound address. It stays bound while what answers on it ends and something else begins to: callers wait in its queue
/// meanwhile.
#[derive(Debug)]
pub struct Socket {
    listener: std::net::TcpListener,
    address: SocketAddr,
    twin: Twin,
}

/// The other loopback address, at the same port.
#[derive(Debug)]
enum Twin {
    /// It is ours, too.
    Bound(std::net::TcpListener),
    /// This machine has none, or the address has no twin.
    None,
    /// Another program may listen there.
    Taken,
}

impl Socket {
    /// Binds the address of the settings, and its twin.
    ///
    /// # Errors
    /// It cannot be listened on.
    pub async fn bind(settings: &config::Http) -> Result<Self, BindError> {
        let socket = Self::bind_with_twin(settings.bind, "http.bind", "set http.enabled = false").await?;
        if settings.is_open() {
            tracing::warn!(
                address = %socket.address,
                "THE API LISTENS BEYOND THIS MACHINE, WITHOUT TLS: tokens and messages can be read on the way, and as \
                 long as http.allowed_hosts is empty any name leads here; put a proxy with TLS before it, and set \
                 http.bind to a loopback address or http.public_url to the proxy's https address"
            );
        }
        Ok(socket)
    }

    /// Binds the address of the settings; where that cannot be, any port of this machine alone, and tells why.
    ///
    /// # Errors
    /// No port can be listened on.
    pub async fn bind_or_any(settings: &config::Http) -> Result<(Self, Option<BindError>), BindError> {
        match Self::bind(settings).await {
            Ok(socket) => Ok((socket, None)),
            Err(fault) => {
                let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                let socket = Self::bind_with_twin(any, fault.key, fault.way_out).await?;
                Ok((socket, Some(fault)))
            }
        }
    }

    /// Binds the address at which a process is watched that does not serve the API.
    ///
    /// # Errors
    /// It cannot be listened on.
    pub async fn bind_for_watching(address: SocketAddr) -> Result<Self, BindError> {
        let socket = Self::bind_at(address, "telemetry.metrics_bind", "take the setting out").await?;
        if !address.ip().is_loopback() {
            tracing::warn!(
                address = %socket.address,
                "HEALTH AND METRICS ARE SHOWN BEYOND THIS MACHINE, WITHOUT TLS: tokens can be read on the way; set \
                 telemetry.metrics_bind to a loopback address, or let only a proxy with TLS reach it"
            );
        }
        Ok(socket)
    }

    async fn bind_with_twin(address: SocketAddr, key: &'static str, way_out: &'static str) -> Result<Self, BindError> {
        let mut socket = Self::bind_at(address, key, way_out).await?;
        if let Some(twin) = twin(socket.address) {
            socket.twin = match listen(twin).await {
                Ok((listener, _)) => Twin::Bound(listener),
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => Twin::Taken,
                // This machine has one loopback address, and no program listens at the other.
                Err(_) => Twin::None,
            };
        }
        Ok(socket)
    }

    async fn bind_at(address: SocketAddr, key: &'static str, way_out: &'static str) -> Result<Self, BindError> {
        let (listener, address) = listen(address).await.map_err(|error| BindError {
            key,
            way_out,
            address,
            error,
        })?;
        Ok(Self {
            listener,
            address,
            twin: Twin::None,
        })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Records in settings where it listens, for the links of people: the port may be the system's choice, and
    /// `localhost` another program's.
    pub fn record_in(&self, settings: &mut config::Http) {
        settings.bind = self.address;
        if settings.public_url.is_none() && matches!(self.twin, Twin::Taken) {
            settings.public_url = Some(Url::from(settings.local_address()));
        }
    }

    /// Its listeners, for the runtime that answers on them.
    pub(super) fn listeners(&self) -> io::Result<(TcpListener, Option<TcpListener>)> {
        let ours = |listener: &std::net::TcpListener| TcpListener::from_std(listener.try_clone()?);
        let twin = match &self.twin {
            Twin::Bound(twin) => Some(ours(twin)?),
            Twin::None | Twin::Taken => None,
        };
        Ok((ours(&self.listener)?, twin))
    }
}

async fn listen(address: SocketAddr) -> io::Result<(std::net::TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    Ok((listener.into_std()?, address))
}

/// The other address that `localhost` stands for. `[::]` has both.
fn twin(address: SocketAddr) -> Option<SocketAddr> {
    let other: IpAddr = match address.ip() {
        IpAddr::V4(ip) if ip == Ipv4Addr::LOCALHOST || ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => Ipv4Addr::LOCALHOST.into(),
        _ => return None,
    };
    Some(SocketAddr::new(other, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_loopback_address_has_the_other_one_as_its_twin() {
        for (address, expected) in [
            ("127.0.0.1:8088", Some("[::1]:8088")),
            ("0.0.0.0:8088", Some("[::1]:8088")),
            ("[::1]:8088", Some("127.0.0.1:8088")),
            ("[::]:8088", None),
            ("127.0.0.2:8088", None),
            ("192.0.2.7:8088", None),
        ] {
            let found = twin(address.parse().unwrap()).map(|twin| twin.to_string());
            assert_eq!(found.as_deref(), expected, "{address}");
        }
    }

    #[tokio::test]
    async fn links_lead_to_localhost_unless_another_program_has_a_part_of_it() {
        let settings = |address: SocketAddr| config::Http {
            bind: address,
            ..config::Http::default()
        };
        let address_of = |socket: &Socket| {
            let mut settings = settings(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
            socket.record_in(&mut settings);
            settings.address()
        };
        // Another program's, on one loopback address alone.
        let other = listen(SocketAddr::from((Ipv6Addr::LOCALHOST, 0))).await;
        let Ok((_other, taken)) = other else { return }; // Without IPv6 there is no twin.
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, taken.port()));
        let beside = Socket::bind(&settings(at)).await.unwrap();
        assert_eq!(address_of(&beside), format!("http://{at}"));

        let socket = Socket::bind(&settings("127.0.0.1:0".parse().unwrap())).await.unwrap();
        let port = socket.address().port();
        assert_eq!(address_of(&socket), format!("http://localhost:{port}"));
        let (_, twin) = socket.listeners().unwrap();
        let expected = SocketAddr::from((Ipv6Addr::LOCALHOST, port));
        assert_eq!(twin.unwrap().local_addr().unwrap(), expected);
    }
}
