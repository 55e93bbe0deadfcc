//! Listening: connections up to a limit, each in a task of its own, ended in order at the stop. Which of them gives its place
//! to another is decided in `connections`, which requests are meant for this server in `hosts`, which bodies have a clear end in
//! `framing`. The addresses stay bound in `socket`.

mod connections;
mod framing;
mod hosts;
mod socket;

use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    http::{HeaderValue, Request, Uri, header},
    response::{IntoResponse, Response},
};
use clifford_config as config;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    time::{Instant, sleep_until},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;

pub(super) use self::connections::{Peer, Share};
pub use self::socket::{BindError, Socket};
use self::{
    connections::{Connections, Limits, ResponseBody},
    hosts::Hosts,
};
use super::problem::Problem;

/// How long to wait when the system has no more connections to give.
const EXHAUSTED: Duration = Duration::from_millis(200);

/// How long a caller who has just been let in may take to ask, although the server stops: else nobody would answer.
const GRACE: Duration = Duration::from_secs(1);

/// The most bytes of a head. As many may be read at once, so one of less than twice as many may be taken.
const LONGEST_HEAD: usize = 64 * 1024;

/// The further names of a server: those of its settings, and that of its public address.
fn names(settings: &config::Http) -> Vec<String> {
    let public = settings.public_url.as_ref();
    let public = public.and_then(|url| url.as_str().parse::<Uri>().ok()?.host().map(str::to_owned));
    settings.allowed_hosts.iter().cloned().chain(public).collect()
}

/// A bound address, in the runtime that answers on it; nobody is answered yet.
pub struct Server {
    listener: TcpListener,
    twin: Option<TcpListener>,
    address: SocketAddr,
    limits: Limits,
    hosts: Hosts,
    header_timeout: Duration,
    idle_timeout: Duration,
}

impl Server {
    /// Will answer on this address.
    ///
    /// # Errors
    /// The system has no handle left for it.
    pub fn on(socket: &Socket, settings: &config::Http) -> io::Result<Self> {
        let count = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let (listener, twin) = socket.listeners()?;
        Ok(Self {
            listener,
            twin,
            address: socket.address(),
            limits: Limits {
                all: count(settings.max_connections),
                per_address: count(settings.max_connections_per_address),
            },
            hosts: Hosts::new(socket.address().ip(), &names(settings)),
            header_timeout: Duration::from_secs(settings.header_timeout_seconds),
            idle_timeout: Duration::from_secs(settings.request_timeout_seconds),
        })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes requests for this host too, by which a platform reaches the bot.
    pub fn also_for(mut self, host: &str) -> Self {
        self.hosts.allow(host);
        self
    }

    /// Answers until `stop`, then finishes what is being answered.
    pub async fn run(self, router: Router, stop: CancellationToken) {
        let connections = Connections::new(self.limits);
        let open = TaskTracker::new();
        let answering = Answering {
            router,
            hosts: Arc::new(self.hosts),
            header_timeout: self.header_timeout,
            idle_timeout: self.idle_timeout,
            stop: stop.clone(),
        };
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = accept(&self.listener) => accepted,
                accepted = accept_if_any(self.twin.as_ref()) => accepted,
            };
            let Some((stream, address)) = accepted else { continue };
            let address = address.ip().to_canonical();
            // Meanwhile others wait in the system's queue.
            let peer = tokio::select! {
                peer = connections.place(address) => peer,
                () = stop.cancelled() => connections.place_anyway(address),
            };
            if let Some(peer) = peer {
                open.spawn(answering.clone().answer(stream, peer));
            }
        }
        drop((self.listener, self.twin));
        open.close();
        open.wait().await;
    }
}

async fn accept(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok(accepted) => Some(accepted),
        Err(error) => {
            // A caller that has gone already is no fault; no more file descriptors is one, and it passes.
            if !matches!(
                error.kind(),
                io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
            ) {
                tracing::warn!(%error, "failed to accept an API connection");
                tokio::time::sleep(EXHAUSTED).await;
            }
            None
        }
    }
}

/// As `accept`; without a listener, never.
async fn accept_if_any(listener: Option<&TcpListener>) -> Option<(TcpStream, SocketAddr)> {
    match listener {
        Some(listener) => accept(listener).await,
        None => std::future::pending().await,
    }
}

/// Answers on every connection.
#[derive(Clone)]
struct Answering {
    router: Router,
    hosts: Arc<Hosts>,
    header_timeout: Duration,
    idle_timeout: Duration,
    stop: CancellationToken,
}

impl Answering {
    async fn answer(self, stream: TcpStream, peer: Peer) {
        // Answers are small and written whole: waiting for more to send only delays them.
        stream.set_nodelay(true).ok();
        let local = stream.local_addr().ok().map(|address| address.ip().to_canonical());
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(self.idle_timeout)
            .max_buf_size(LONGEST_HEAD);
        let began = Instant::now();
        let (router, hosts, asking) = (self.router, self.hosts, peer.clone());
        let service = service_fn(move |request| {
            answer_request(router.clone(), Arc::clone(&hosts), asking.clone(), local, request)
        });
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = peer.evicted() => return,
            () = silent(&peer, began + self.header_timeout) => return,
            () = async { self.stop.cancelled().await; sleep_until(began + GRACE).await } => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "lost an API connection");
        }
    }
}

/// Ends at a time by which nothing was asked.
async fn silent(peer: &Peer, at: Instant) {
    sleep_until(at).await;
    if peer.has_asked() {
        std::future::pending::<()>().await;
    }
}

async fn answer_request(
    router: Router,
    hosts: Arc<Hosts>,
    peer: Peer,
    local: Option<IpAddr>,
    mut request: Request<Incoming>,
) -> Result<Response, Infallible> {
    let asked = peer.begin_request();
    let meant = hosts.check((request.version(), request.uri(), request.headers()), local);
    let response = match (framing::check(request.headers()), meant) {
        (Ok(()), Ok(())) => {
            request.extensions_mut().insert(peer);
            match router.oneshot(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        }
        (Err(problem), _) => last(problem),
        (Ok(()), Err(problem)) => problem.into_response(),
    };
    Ok(response.map(|body| ResponseBody::of(body, asked)))
}

/// The last answer of a connection: nobody knows what would come next on it.
fn last(problem: Problem) -> Response {
    let mut response = problem.into_response();
    response
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
