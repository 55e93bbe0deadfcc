//! A socket with a router behind it, for the fakes that need no more.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{Router, serve::ListenerExt};
use tokio::net::TcpListener;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

/// A server that stops accepting when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    _stop: DropGuard,
}

impl Server {
    /// Serves on a free port of an address.
    ///
    /// # Errors
    /// No port could be bound.
    pub async fn start(address: IpAddr, router: Router) -> io::Result<Self> {
        let listener = TcpListener::bind((address, 0)).await?;
        let address = listener.local_addr()?;
        let connections = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&connections);
        let listener = listener.tap_io(move |stream| {
            counter.fetch_add(1, Ordering::SeqCst);
            drop(stream.set_nodelay(true));
        });
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        TaskTracker::new().spawn(async move {
            tokio::select! {
                () = stopped.cancelled() => Ok(()),
                served = axum::serve(listener, router).into_future() => served,
            }
        });
        Ok(Self {
            address,
            connections,
            _stop: stop.drop_guard(),
        })
    }

    /// How many connections were accepted.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}
