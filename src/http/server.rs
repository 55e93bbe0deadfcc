//! Listening: connections up to a limit, each in a task of its own, ended in order at the stop.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{Instant, sleep_until},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::config;

/// How long to wait when the system has no more connections to give.
const EXHAUSTED: Duration = Duration::from_millis(200);

/// How long a caller who has just been let in may take to ask, although the server stops: else nobody would answer.
const GRACE: Duration = Duration::from_secs(1);

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

/// A bound address. It stays bound while what answers on it ends and something else begins to: callers wait in its queue
/// meanwhile.
#[derive(Debug)]
pub struct Socket {
    listener: std::net::TcpListener,
    address: SocketAddr,
}

impl Socket {
    /// Binds the address of the settings.
    ///
    /// # Errors
    /// It cannot be listened on.
    pub async fn bind(settings: &config::Http) -> Result<Self, BindError> {
        Self::bind_at(settings.bind, "http.bind", "set http.enabled = false").await
    }

    /// Binds the address at which a process is watched that does not serve the API.
    ///
    /// # Errors
    /// It cannot be listened on.
    pub async fn bind_for_watching(address: SocketAddr) -> Result<Self, BindError> {
        Self::bind_at(address, "telemetry.metrics_bind", "take the setting out").await
    }

    async fn bind_at(address: SocketAddr, key: &'static str, way_out: &'static str) -> Result<Self, BindError> {
        let fault = |error| BindError {
            key,
            way_out,
            address,
            error,
        };
        let listener = TcpListener::bind(address).await.map_err(fault)?;
        let address = listener.local_addr().map_err(fault)?;
        if !address.ip().is_loopback() {
            tracing::warn!(
                %address,
                "THE API LISTENS BEYOND THIS MACHINE, WITHOUT TLS: tokens and messages can be read on the way; put a \
                 proxy with TLS before it and set http.bind to a loopback address"
            );
        }
        let listener = listener.into_std().map_err(fault)?;
        Ok(Self { listener, address })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

/// A bound address, in the runtime that answers on it; nobody is answered yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    connections: usize,
    header_timeout: Duration,
}

impl Server {
    /// Will answer on this address.
    ///
    /// # Errors
    /// The system has no handle left for it.
    pub fn on(socket: &Socket, settings: &config::Http) -> io::Result<Self> {
        Ok(Self {
            listener: TcpListener::from_std(socket.listener.try_clone()?)?,
            address: socket.address,
            connections: usize::try_from(settings.max_connections).unwrap_or(usize::MAX),
            header_timeout: Duration::from_secs(settings.request_timeout_seconds),
        })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop`, then finishes what is being answered.
    pub async fn run(self, router: Router, stop: CancellationToken) {
        let places = Arc::new(Semaphore::new(self.connections.min(Semaphore::MAX_PERMITS)));
        let open = TaskTracker::new();
        loop {
            // Who finds no place waits in the system's queue.
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = accept(&self.listener, &places) => accepted,
            };
            let Some((stream, place)) = accepted else { continue };
            let connection = answer(stream, router.clone(), self.header_timeout, stop.clone());
            open.spawn(async move {
                connection.await;
                drop(place);
            });
        }
        drop(self.listener);
        open.close();
        open.wait().await;
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, place)),
        Err(error) => {
            // A caller that has gone already is no fault; no more file descriptors is one, and it passes.
            if !matches!(
                error.kind(),
                io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
            ) {
                tracing::warn!(%error, "a connection to the API could not be accepted");
                tokio::time::sleep(EXHAUSTED).await;
            }
            None
        }
    }
}

async fn answer(stream: TcpStream, router: Router, header_timeout: Duration, stop: CancellationToken) {
    // Answers are small and written whole: waiting for more to send only delays them.
    stream.set_nodelay(true).ok();
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(header_timeout);
    let asks_by = Instant::now() + GRACE;
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = async { stop.cancelled().await; sleep_until(asks_by).await } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection to the API broke");
    }
}
