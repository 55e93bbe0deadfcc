//! Which connections are open, and which one gives its place to a new one when there are no more.
//!
//! An idle connection, and one whose request has no token, hold a place only as long as nobody else wants it. Requests
//! with tokens keep theirs, but never all: some places are kept for new callers, health checks above all. This state is
//! lost with the process; [`Table`], which is pure, decides on it.

use std::{
    collections::HashMap,
    net::IpAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::super::problem::{Code, Problem};

/// How long a connection keeps its place on which nothing is asked, while others wait for one.
const IDLE: Duration = Duration::from_millis(500);
/// How long one keeps it that is asked something without a token.
const UNKNOWN: Duration = Duration::from_secs(1);
/// One of so many places is kept for callers without a token.
const KEPT: usize = 16;

/// How many connections there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// In all.
    pub all: usize,
    /// From one address of another machine.
    pub(crate) per_address: usize,
}

impl Limits {
    /// How many may work on requests of tokens.
    fn authenticated(self) -> usize {
        self.all - (self.all / KEPT).max(1).min(self.all - 1)
    }

    /// How many may work on requests of one token.
    fn of_token(self, share: Share) -> usize {
        match share {
            Share::Half => self.authenticated().div_ceil(2),
            Share::All => self.authenticated(),
        }
    }
}

/// How much of the places that tokens may have is for one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// A person's.
    Half,
    /// The operator's, or an owner's.
    All,
}

/// The work on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Work {
    /// Nothing.
    Idle,
    /// A request that has shown no token yet.
    Unknown,
    /// A request of this token.
    Of(String),
}

#[derive(Debug)]
struct Entry {
    address: IpAddr,
    work: Work,
    since: Instant,
    evicted: CancellationToken,
}

/// The decision on a new connection.
#[derive(Debug)]
enum Placed {
    /// It has a place, until this ends.
    At(u64, CancellationToken),
    /// A place may be free at this time, or sooner.
    Later(Option<Instant>),
    /// Its address has as many as it may.
    Refused,
}

/// The connections that are open.
#[derive(Debug)]
struct Table {
    limits: Limits,
    open: HashMap<u64, Entry>,
    next: u64,
}

impl Table {
    fn place(&mut self, address: IpAddr, now: Instant) -> Placed {
        let same = |entry: &Entry| entry.address == address;
        if !address.is_loopback() && self.open.values().filter(|entry| same(entry)).count() >= self.limits.per_address {
            let Some(oldest) = self.longest(|entry| same(entry) && entry.work == Work::Idle) else {
                return Placed::Refused;
            };
            self.evict(oldest);
        }
        if self.open.len() >= self.limits.all {
            match self.leaver(now) {
                Ok(id) => self.evict(id),
                Err(at) => return Placed::Later(at),
            }
        }
        self.admit(address, now)
    }

    fn admit(&mut self, address: IpAddr, now: Instant) -> Placed {
        let id = self.next;
        self.next += 1;
        let evicted = CancellationToken::new();
        let entry = Entry {
            address,
            work: Work::Idle,
            since: now,
            evicted: evicted.clone(),
        };
        self.open.insert(id, entry);
        Placed::At(id, evicted)
    }

    /// The connection that gives its place on: of the address with the most, the one that has done nothing for longest.
    ///
    /// # Errors
    /// When the next one may have to.
    fn leaver(&self, now: Instant) -> Result<u64, Option<Instant>> {
        let mut counts = HashMap::new();
        for entry in self.open.values().filter(|entry| !matches!(entry.work, Work::Of(_))) {
            *counts.entry(entry.address).or_insert(0_usize) += 1;
        }
        let leaves_at = |entry: &Entry| match entry.work {
            Work::Idle => Some(entry.since + IDLE),
            Work::Unknown => Some(entry.since + UNKNOWN),
            Work::Of(_) => None,
        };
        let due = self
            .open
            .iter()
            .filter(|(_, entry)| leaves_at(entry).is_some_and(|at| at <= now));
        let first = due.max_by_key(|(id, entry)| {
            let crowd = counts.get(&entry.address).copied().unwrap_or_default();
            (crowd, entry.work == Work::Idle, std::cmp::Reverse((entry.since, **id)))
        });
        match first {
            Some((id, _)) => Ok(*id),
            None => Err(self.open.values().filter_map(leaves_at).min()),
        }
    }

    fn longest(&self, of: impl Fn(&Entry) -> bool) -> Option<u64> {
        let those = self.open.iter().filter(|(_, entry)| of(entry));
        those.min_by_key(|(id, entry)| (entry.since, **id)).map(|(id, _)| *id)
    }

    fn evict(&mut self, id: u64) {
        if let Some(entry) = self.open.remove(&id) {
            entry.evicted.cancel();
        }
    }

    fn works(&mut self, id: u64, work: Work, now: Instant) {
        if let Some(entry) = self.open.get_mut(&id) {
            entry.work = work;
            entry.since = now;
        }
    }

    /// Whether the request of a connection may go on as one of a token.
    fn authenticate(&mut self, id: u64, token: &str, share: Share, now: Instant) -> bool {
        let of = |token: Option<&str>| {
            let works = |entry: &&Entry| match &entry.work {
                Work::Of(other) => token.is_none_or(|token| token == other),
                Work::Idle | Work::Unknown => false,
            };
            self.open.values().filter(works).count()
        };
        let fits = of(None) < self.limits.authenticated() && of(Some(token)) < self.limits.of_token(share);
        if fits {
            self.works(id, Work::Of(token.to_owned()), now);
        }
        fits
    }
}

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    table: Mutex<Table>,
    freed: Notify,
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            table: Mutex::new(Table {
                limits,
                open: HashMap::new(),
                next: 0,
            }),
            freed: Notify::new(),
        })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from an address, once there is one; `None`: that address has as many as it may.
    pub(super) async fn place(self: &Arc<Self>, address: IpAddr) -> Option<Peer> {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            let placed = self.table().place(address, Instant::now());
            match placed {
                Placed::At(id, evicted) => return Some(self.peer(id, address, evicted)),
                Placed::Refused => return None,
                Placed::Later(None) => freed.await,
                Placed::Later(Some(at)) => tokio::select! {
                    () = freed => {}
                    () = sleep_until(at) => {}
                },
            }
        }
    }

    /// A place whether there is one or not.
    pub(super) fn place_anyway(self: &Arc<Self>, address: IpAddr) -> Option<Peer> {
        let placed = self.table().admit(address, Instant::now());
        match placed {
            Placed::At(id, evicted) => Some(self.peer(id, address, evicted)),
            Placed::Later(_) | Placed::Refused => None,
        }
    }

    fn peer(self: &Arc<Self>, id: u64, address: IpAddr, evicted: CancellationToken) -> Peer {
        Peer(Arc::new(Held {
            id,
            address,
            evicted,
            has_asked: AtomicBool::new(false),
            connections: Arc::clone(self),
        }))
    }
}

/// One end of a connection: its place. The last one that goes frees it.
#[derive(Clone, Debug)]
pub(crate) struct Peer(Arc<Held>);

#[derive(Debug)]
struct Held {
    id: u64,
    address: IpAddr,
    evicted: CancellationToken,
    has_asked: AtomicBool,
    connections: Arc<Connections>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.connections.table().open.remove(&self.id);
        self.connections.freed.notify_one();
    }
}

impl Peer {
    /// Its address.
    pub(crate) fn address(&self) -> IpAddr {
        self.0.address
    }

    /// Ends when another connection gets the place.
    pub(super) async fn evicted(&self) {
        self.0.evicted.cancelled().await;
    }

    /// Whether a request has begun.
    pub(super) fn has_asked(&self) -> bool {
        self.0.has_asked.load(Ordering::Relaxed)
    }

    /// A request begins; it is over when the guard is dropped.
    pub(super) fn begin_request(&self) -> RequestInFlight {
        self.0.has_asked.store(true, Ordering::Relaxed);
        self.works(Work::Unknown);
        RequestInFlight(self.clone())
    }

    /// The request is one of a token.
    ///
    /// # Errors
    /// There is no place for another one.
    pub(crate) fn authenticated(&self, token: &str, share: Share) -> Result<(), Problem> {
        let fits = self
            .0
            .connections
            .table()
            .authenticate(self.0.id, token, share, Instant::now());
        let full = || {
            let detail =
                "too many requests are at work, of this token or in all (http.max_connections); try again later";
            Problem::new(Code::TooManyConnections, detail).with_retry(1)
        };
        fits.then_some(()).ok_or_else(full)
    }

    fn works(&self, work: Work) {
        self.0.connections.table().works(self.0.id, work, Instant::now());
    }
}

/// A request that is at work, until its answer is sent.
#[derive(Debug)]
pub(super) struct RequestInFlight(Peer);

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.0.works(Work::Idle);
        self.0.0.connections.freed.notify_one();
    }
}

/// The body of an answer, which is at work until it is sent.
pub(super) struct ResponseBody {
    body: Body,
    _asked: RequestInFlight,
}

impl ResponseBody {
    pub(super) fn of(body: Body, asked: RequestInFlight) -> Body {
        Body::new(Self { body, _asked: asked })
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { all: 4, per_address: 3 };
    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn table() -> Table {
        Table {
            limits: LIMITS,
            open: HashMap::new(),
            next: 0,
        }
    }

    fn placed(table: &mut Table, address: IpAddr, now: Instant) -> (u64, CancellationToken) {
        match table.place(address, now) {
            Placed::At(id, evicted) => (id, evicted),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn silent_connections_give_their_places_to_whoever_comes_the_crowd_first() {
        let (mut table, now) = (table(), Instant::now());
        let alone = placed(&mut table, address(1), now);
        let crowd: Vec<_> = (0..3).map(|_| placed(&mut table, HERE, now)).collect();
        // A connection that has just opened is given a moment to ask.
        assert!(matches!(table.place(address(2), now), Placed::Later(Some(at)) if at == now + IDLE));
        let later = now + IDLE;
        let new = placed(&mut table, address(2), later);
        let gone = |all: &[(u64, CancellationToken)]| all.iter().map(|one| one.1.is_cancelled()).collect::<Vec<_>>();
        assert_eq!(gone(&crowd), [true, false, false]);
        placed(&mut table, address(3), later);
        assert_eq!(gone(&crowd), [true, true, false]);
        assert_eq!(gone(&[alone, new]), [false, false]);
    }

    #[test]
    fn requests_without_a_token_leave_after_a_second_and_those_of_tokens_never() {
        let (mut table, now) = (table(), Instant::now());
        let ids: Vec<_> = (0..4).map(|_| placed(&mut table, HERE, now).0).collect();
        assert!(table.authenticate(ids[0], "ada", Share::Half, now));
        assert!(table.authenticate(ids[1], "ada", Share::Half, now));
        // Half of what tokens may have in all is for one of them; one place is kept for whoever has none.
        assert!(!table.authenticate(ids[2], "ada", Share::Half, now));
        assert!(table.authenticate(ids[2], "bob", Share::Half, now));
        assert!(!table.authenticate(ids[3], "eve", Share::All, now));
        table.works(ids[3], Work::Unknown, now);
        assert!(matches!(table.place(HERE, now + IDLE), Placed::Later(Some(at)) if at == now + UNKNOWN));
        let (id, _) = placed(&mut table, HERE, now + UNKNOWN);
        assert!(!table.open.contains_key(&ids[3]));
        table.works(id, Work::Unknown, now + UNKNOWN);
        table.works(ids[0], Work::Idle, now + UNKNOWN);
        placed(&mut table, HERE, now + UNKNOWN + IDLE);
        assert!(!table.open.contains_key(&ids[0]));
    }

    #[test]
    fn one_address_of_another_machine_has_a_limit_of_its_own() {
        let (mut table, now) = (table(), Instant::now());
        let ids: Vec<_> = (0..3).map(|_| placed(&mut table, address(1), now)).collect();
        table.works(ids[0].0, Work::Unknown, now);
        placed(&mut table, address(1), now);
        assert_eq!(
            ids.iter().map(|one| one.1.is_cancelled()).collect::<Vec<_>>(),
            [false, true, false]
        );
        for id in table.open.keys().copied().collect::<Vec<_>>() {
            table.works(id, Work::Unknown, now);
        }
        assert!(matches!(table.place(address(1), now), Placed::Refused));
        placed(&mut table, address(2), now);
    }

    #[test]
    fn some_places_are_kept_however_few_there_are() {
        for (all, authenticated, per_token) in [(1, 1, 1), (2, 1, 1), (16, 15, 8), (1024, 960, 480)] {
            let limits = Limits { all, per_address: 1 };
            assert_eq!(
                (limits.authenticated(), limits.of_token(Share::Half)),
                (authenticated, per_token),
                "{all}"
            );
        }
    }
}
