//! A website: serves a test's pages, well or badly behaved, and records its visitors.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use bytes::Bytes;
use futures::{StreamExt, stream};

use crate::serving::Server;

/// The answer on a path.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Whole(Bytes),
    Endless(Bytes),
    Slow(Vec<Bytes>, Duration),
    Broken(Bytes),
    Never,
}

impl Answer {
    fn new(status: u16, media_type: &str, content: Content) -> Self {
        let headers = [("content-type", media_type)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty());
        Self {
            status,
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            content,
        }
    }

    /// A whole body. An empty media type stands for none.
    pub fn body(media_type: &str, body: impl Into<Bytes>) -> Self {
        Self::new(200, media_type, Content::Whole(body.into()))
    }

    /// A page of HTML.
    pub fn html(page: &str) -> Self {
        Self::body("text/html; charset=utf-8", page.to_owned())
    }

    /// A redirect.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::new(status, "", Content::Whole(Bytes::new())).header("location", location)
    }

    /// The same piece, for ever.
    pub fn endless(piece: impl Into<Bytes>) -> Self {
        Self::new(200, "text/plain", Content::Endless(piece.into()))
    }

    /// Pieces with a pause before each.
    pub fn slow(pieces: impl IntoIterator<Item = &'static str>, pause: Duration) -> Self {
        let pieces = pieces.into_iter().map(Bytes::from).collect();
        Self::new(200, "text/plain", Content::Slow(pieces, pause))
    }

    /// A body that breaks off.
    pub fn broken(head: impl Into<Bytes>) -> Self {
        Self::new(200, "text/plain", Content::Broken(head.into()))
    }

    /// No answer at all.
    pub fn never() -> Self {
        Self::new(200, "", Content::Never)
    }

    /// With another status.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct Visit {
    /// Path and query.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
}

#[derive(Debug, Default)]
struct Shared {
    answers: BTreeMap<String, Answer>,
    otherwise: Option<Answer>,
    visits: Vec<Visit>,
}

/// The website.
#[derive(Debug)]
pub struct SiteFake {
    shared: Arc<Mutex<Shared>>,
    server: Server,
}

impl SiteFake {
    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// No port could be bound.
    pub async fn start() -> io::Result<Self> {
        Self::start_at(Ipv4Addr::LOCALHOST.into()).await
    }

    /// Starts on a free port of an address.
    ///
    /// # Errors
    /// No port could be bound.
    pub async fn start_at(address: IpAddr) -> io::Result<Self> {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let server = Server::start(address, router).await?;
        Ok(Self { shared, server })
    }

    /// A server that has moved, and the one to which it sends everybody.
    ///
    /// # Errors
    /// No port could be bound.
    pub async fn start_moved() -> io::Result<(Self, Self)> {
        let (old, new) = (Self::start().await?, Self::start().await?);
        lock(&old.shared).otherwise = Some(Answer::redirect(307, &new.url("/x?key=1")));
        Ok((old, new))
    }

    /// Serves this on a path from now on.
    pub fn put(&self, path: &str, answer: Answer) {
        lock(&self.shared).answers.insert(path.to_owned(), answer);
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address)
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.server.connections()
    }

    /// The visitors, in order.
    pub fn visits(&self) -> Vec<Visit> {
        lock(&self.shared).visits.clone()
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(shared): State<Arc<Mutex<Shared>>>, request: Request) -> Response {
    let found = {
        let mut shared = lock(&shared);
        shared.visits.push(Visit {
            path: request.uri().to_string(),
            headers: request.headers().clone(),
        });
        let found = shared.answers.get(request.uri().path());
        found.or(shared.otherwise.as_ref()).cloned()
    };
    let Answer {
        status,
        headers,
        content,
    } = found.unwrap_or_else(|| Answer::body("text/plain", "there is no such page").status(404));
    let body = match content {
        Content::Whole(body) => Body::from(body),
        Content::Endless(piece) => Body::from_stream(stream::repeat(Ok::<_, Infallible>(piece))),
        Content::Slow(pieces, pause) => Body::from_stream(stream::iter(pieces).then(move |piece| async move {
            tokio::time::sleep(pause).await;
            Ok::<_, Infallible>(piece)
        })),
        Content::Broken(head) => {
            let broken = stream::once(async {
                // The bytes before the break are sent while this waits its turn.
                tokio::task::yield_now().await;
                Err(io::Error::from(io::ErrorKind::ConnectionReset))
            });
            Body::from_stream(stream::iter([Ok(head)]).chain(broken))
        }
        Content::Never => std::future::pending().await,
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (name.parse::<axum::http::HeaderName>(), value.parse()) {
            response.headers_mut().append(name, value);
        }
    }
    response
}
