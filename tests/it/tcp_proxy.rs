//! A way to a database server that can be closed, as a network that is gone.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tokio_util::task::TaskTracker;

use crate::harness::migrated;

/// A way to PostgreSQL that can be cut.
pub struct Way {
    address: SocketAddr,
    open: Arc<AtomicBool>,
    cut: watch::Sender<()>,
}

impl Way {
    /// A way to a new database, and the address by which it leads there. `None`: there is no PostgreSQL here.
    pub async fn to_postgres() -> Option<(Self, String)> {
        let database = tokio::task::spawn_blocking(migrated);
        let database = database.await.unwrap()?;
        let (_, server) = database.split_once('@').unwrap();
        let (server, name) = server.split_once('/').unwrap();
        let way = Self::to(server.to_owned()).await;
        let url = format!("postgres://clifford@{}/{name}", way.address);
        Some((way, url))
    }

    async fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let way = Self {
            address: listener.local_addr().unwrap(),
            open: Arc::new(AtomicBool::new(true)),
            cut: watch::Sender::new(()),
        };
        let (open, cut) = (Arc::clone(&way.open), way.cut.clone());
        let tasks = TaskTracker::new();
        let connections = tasks.clone();
        tasks.spawn(async move {
            while let Ok((mut here, _)) = listener.accept().await {
                let mut cut = cut.subscribe();
                if !open.load(Ordering::SeqCst) {
                    continue;
                }
                let server = server.clone();
                connections.spawn(async move {
                    let mut there = TcpStream::connect(server).await.unwrap();
                    tokio::select! {
                        _ = cut.changed() => {}
                        _ = copy_bidirectional(&mut here, &mut there) => {}
                    }
                });
            }
        });
        way
    }

    /// Ends every connection, and each new one at once.
    pub fn close(&self) {
        self.open.store(false, Ordering::SeqCst);
        self.cut.send_replace(());
    }

    pub fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
    }
}
