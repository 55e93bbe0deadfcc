//! Keeps servers at work: starts them alongside the process, offers their tools, starts them again when they are gone.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    catalogue,
    connection::{About, ConnectError, Connection, Link},
    endpoints, offered,
    settings::Endpoint,
};
use crate::{Registry, Services};

/// The first wait before a server is started again, and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));
/// A server that was at work for so long had a good start: the next wait is the first one again.
const GOOD_START: Duration = Duration::from_secs(60);
/// How often a server is asked whether it is there, and how often it may fail to answer before it counts as gone.
const PULSE: Duration = Duration::from_secs(30);
const MISSES: u32 = 3;
/// A list of tools is not read more often than this, however often it changes.
const REREAD: Duration = Duration::from_millis(250);

/// Keeps every server of the settings at work until it is stopped.
#[derive(Debug)]
pub struct Supervisor {
    tasks: TaskTracker,
    stop: CancellationToken,
    /// How many servers have neither been connected to nor failed yet.
    pending: watch::Receiver<usize>,
}

impl Supervisor {
    /// Begins to start the servers; returns at once.
    pub fn start(registry: &Arc<Registry>, services: &Services) -> Self {
        Self::supervise(endpoints(services), registry)
    }

    /// Begins to start one of the servers, if there is one of this name; returns at once.
    pub fn start_one(name: &str, registry: &Arc<Registry>, services: &Services) -> Self {
        let mut endpoints = endpoints(services);
        endpoints.retain(|endpoint| endpoint.name == name);
        Self::supervise(endpoints, registry)
    }

    fn supervise(endpoints: Vec<Endpoint>, registry: &Arc<Registry>) -> Self {
        let (pending_sender, pending) = watch::channel(endpoints.len());
        let pending_sender = Arc::new(pending_sender);
        let supervisor = Self {
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            pending,
        };
        for endpoint in endpoints {
            registry.expect(&endpoint.name, starting(&endpoint));
            let keeper = Keeper {
                endpoint,
                offers: false,
                registry: Arc::clone(registry),
                pending: Some(Arc::clone(&pending_sender)),
            };
            supervisor.tasks.spawn(keeper.run(supervisor.stop.clone()));
        }
        supervisor
    }

    /// Waits until each server has been connected to or has failed once, for as long as this at most.
    pub async fn settled(&self, most: Duration) {
        let mut pending = self.pending.clone();
        // Without senders nothing is pending any more.
        tokio::time::timeout(most, pending.wait_for(|count| *count == 0))
            .await
            .ok();
    }

    /// Ends every server, in order if that is done by `until`: what is left then is killed with this process.
    pub async fn end(&self, until: Instant) {
        self.stop.cancel();
        self.tasks.close();
        if timeout_at(until, self.tasks.wait()).await.is_err() {
            tracing::warn!("MCP server did not exit in time, killing it");
        }
    }
}

/// Connects once, and tells who is there and how many tools it offers.
///
/// # Errors
/// Why it cannot be used.
pub async fn probe(endpoint: &Endpoint) -> Result<(About, usize), String> {
    let connection = Connection::open(endpoint).await.map_err(|error| error.to_string())?;
    let tools = connection.link.tools().await;
    let about = connection.about.clone();
    connection.close().await;
    let tools = tools.map_err(|error| error.to_string())?;
    Ok((about, catalogue::read(endpoint, tools).len()))
}

/// Connects once, and tells who is there and what it offers.
///
/// # Errors
/// Why it cannot be used.
pub async fn survey(endpoint: &Endpoint) -> Result<(About, Vec<catalogue::Surveyed>), String> {
    let connection = Connection::open(endpoint).await.map_err(|error| error.to_string())?;
    let tools = connection.link.tools().await;
    let about = connection.about.clone();
    connection.close().await;
    let tools = tools.map_err(|error| error.to_string())?;
    Ok((about, catalogue::surveyed(endpoint, &tools)))
}

/// Keeps one server.
struct Keeper {
    endpoint: Endpoint,
    /// Its tools were offered since it was last connected to.
    offers: bool,
    registry: Arc<Registry>,
    /// Counted down when the first attempt is over.
    pending: Option<Arc<watch::Sender<usize>>>,
}

/// Why a connection is over.
enum Ended {
    Stopped,
    Gone(String),
}

impl Keeper {
    async fn run(mut self, stop: CancellationToken) {
        let server = self.endpoint.name.clone();
        let mut backoff = BACKOFF.0;
        loop {
            let began = Instant::now();
            self.offers = false;
            let ended = tokio::select! {
                opened = Connection::open(&self.endpoint) => match opened {
                    Ok(connection) => self.attend(connection, &stop).await,
                    Err(error) => Ended::Gone(error.to_string()),
                },
                () = stop.cancelled() => return,
            };
            let Ended::Gone(why) = ended else { return };
            self.withdraw();
            self.registry.fails(&server, why.as_str());
            self.settle();
            if began.elapsed() >= GOOD_START {
                backoff = BACKOFF.0;
            }
            tracing::warn!(%server, error = why, wait_ms = backoff.as_millis(), "failed to connect to an MCP server, retrying");
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(backoff) => {}
            }
            backoff = (backoff * 2).min(BACKOFF.1);
        }
    }

    /// The first attempt is over.
    fn settle(&mut self) {
        if let Some(pending) = self.pending.take() {
            pending.send_modify(|count| *count = count.saturating_sub(1));
        }
    }

    /// Offers what the server has, for as long as it is there.
    async fn attend(&mut self, connection: Connection, stop: &CancellationToken) -> Ended {
        let About { name, version } = &connection.about;
        tracing::info!(server = %self.endpoint.name, name, version, "connected to an MCP server");
        let ended = self.watch(&connection, stop).await;
        if matches!(ended, Ended::Gone(_)) {
            self.withdraw();
        }
        connection.close().await;
        ended
    }

    /// Its tools cannot be called. One that was at work until now is expected back; of one that could not be
    /// connected to, nobody knows.
    fn withdraw(&self) {
        let (name, why) = (&self.endpoint.name, starting(&self.endpoint));
        if self.offers {
            self.registry.expect(name, why);
        } else {
            self.registry.withdraw(name, why);
        }
    }

    async fn watch(&mut self, connection: &Connection, stop: &CancellationToken) -> Ended {
        if let Err(error) = self.offer(&connection.link).await {
            return Ended::Gone(error.to_string());
        }
        self.settle();
        let mut misses = 0;
        let mut pulse = tokio::time::interval_at(Instant::now() + PULSE, PULSE);
        pulse.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ended::Stopped,
                () = connection.gone() => return Ended::Gone("it ended, or closed the connection".to_owned()),
                () = connection.changed.notified() => {
                    if let Err(error) = self.offer(&connection.link).await {
                        return Ended::Gone(error.to_string());
                    }
                    tokio::time::sleep(REREAD).await;
                }
                _ = pulse.tick() => {
                    misses = if connection.link.is_alive().await { 0 } else { misses + 1 };
                    if misses >= MISSES {
                        return Ended::Gone(format!("it did not answer {MISSES} times"));
                    }
                }
            }
        }
    }

    async fn offer(&mut self, link: &Link) -> Result<(), ConnectError> {
        let offers = catalogue::read(&self.endpoint, link.tools().await?);
        let (server, tools) = (&self.endpoint.name, offers.len());
        // A server may say without end that its list has changed.
        match self.offers {
            true => tracing::debug!(%server, tools, "MCP server changed its tools"),
            false => tracing::info!(%server, tools, "MCP server ready"),
        }
        self.registry.offer(offered(&self.endpoint, offers, link));
        self.offers = true;
        Ok(())
    }
}

/// The error for a run that calls a tool of an absent server.
fn starting(endpoint: &Endpoint) -> String {
    format!(
        "the MCP server `{}` is not at work now; it is being started, which may take a while",
        endpoint.name
    )
}
