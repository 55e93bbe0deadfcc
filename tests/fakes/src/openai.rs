//! A fake of an OpenAI-compatible server: chat completions, embeddings and images.
//!
//! Checks every request as OpenAI does, answers by script, streams where it is asked to, and misbehaves
//! on demand. A reply is taken from the queue ([`OpenAiFake::push`]), else from the handler
//! ([`OpenAiFake::respond_with`]); with neither the request is refused.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::task::JoinSet;

pub use crate::models::{Hold, Listing, RecordedRequest, Reply, counted};
use crate::models::{Protocol, server, state, window};

/// How long [`OpenAiFake::wait_for_requests`] waits before it panics.
const PATIENCE: Duration = Duration::from_secs(60);

/// The server. Dropping it closes its socket and every open connection.
pub struct OpenAiFake {
    address: SocketAddr,
    state: Arc<state::State>,
    _server: JoinSet<()>,
}

impl OpenAiFake {
    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Panics
    /// If no socket can be bound.
    pub async fn start() -> Self {
        Self::start_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await
    }

    /// Starts on a given address, so that a server that went away can come back where it was.
    ///
    /// # Panics
    /// If the socket cannot be bound.
    pub async fn start_at(address: SocketAddr) -> Self {
        Self::speaking(Protocol::OpenAi, address).await
    }

    #[expect(clippy::unused_async, reason = "it needs the runtime that its callers wait in")]
    pub(crate) async fn speaking(protocol: Protocol, address: SocketAddr) -> Self {
        let listener = server::listen(address)
            .unwrap_or_else(|error| panic!("the fake model cannot listen on {address}: {error}"));
        let address = listener.local_addr().unwrap_or(address);
        let state = Arc::new(state::State::new(protocol));
        let mut server = JoinSet::new();
        server.spawn(server::serve(listener, Arc::clone(&state)));
        Self {
            address,
            state,
            _server: server,
        }
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL to configure: `http://127.0.0.1:PORT/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// From now on only this bearer key is accepted. Without a call, every key and none is.
    pub fn require_key(&self, key: impl Into<String>) {
        self.state.script().key = Some(key.into());
    }

    /// From now on only these models exist. Without a call, every name is one.
    pub fn only_models<I: Into<String>>(&self, models: impl IntoIterator<Item = I>) {
        self.state.script().models = Some(models.into_iter().map(Into::into).collect());
    }

    /// From now on the model holds so many tokens, request and reply together: longer ones are refused, in the
    /// provider's words, with the window named.
    pub fn context_window(&self, tokens: u64) {
        self.state.script().window = Some(window::Window { tokens, told: true });
    }

    /// The same, with a refusal that does not name the window.
    pub fn untold_context_window(&self, tokens: u64) {
        self.state.script().window = Some(window::Window { tokens, told: false });
    }

    /// From now on the server tells windows in its list of models, as servers of this kind do.
    pub fn lists_windows(&self, listing: Listing) {
        self.state.script().listing = Some(listing);
    }

    /// From now on the schema of a reply counts as part of the prompt, as with providers that put it there.
    pub fn bill_schema(&self) {
        self.state.script().bills_schema = true;
    }

    /// Adds a reply to the end of the queue.
    pub fn push(&self, reply: Reply) {
        self.state.script().queue.push_back(reply);
    }

    /// Answers whatever the queue does not.
    pub fn respond_with(&self, handler: impl Fn(&RecordedRequest) -> Reply + Send + Sync + 'static) {
        self.state.script().handler = Some(Arc::new(handler));
    }

    /// Switches recording; requests are counted all the same.
    pub fn record(&self, on: bool) {
        self.state.record(on);
    }

    /// The requests so far, in the order of arrival, refused ones included.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<RecordedRequest>> {
        self.state.requests()
    }

    /// How many chat completions have been asked for so far.
    #[must_use]
    pub fn request_count(&self) -> usize {
        self.state.count()
    }

    /// Requests for embeddings and images: routes and bodies, in the order of arrival.
    #[must_use]
    pub fn others(&self) -> Vec<(String, serde_json::Value)> {
        self.state.script().others.clone()
    }

    /// From now on so many requests for embeddings, images and recordings are refused, with these statuses; with 429
    /// comes a wait of no time.
    pub fn refuse_others(&self, statuses: impl IntoIterator<Item = u16>) {
        self.state.script().refusing.extend(statuses);
    }

    /// How many of the queued replies nobody has fetched.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.state.script().queue.len()
    }

    /// Every way in which a request broke the protocol. A wrong key or an unknown model is none.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.state.violations()
    }

    /// Waits until `n` requests have arrived in all.
    ///
    /// # Panics
    /// If they do not come within a minute.
    pub async fn wait_for_requests(&self, n: usize) -> Vec<Arc<RecordedRequest>> {
        let mut arrived = self.state.arrivals();
        let waited = tokio::time::timeout(PATIENCE, arrived.wait_for(|count| *count >= n))
            .await
            .is_ok();
        assert!(
            waited,
            "waited for {n} requests to the fake model, {} came",
            self.request_count()
        );
        self.requests()
    }

    /// Holds every reply back until the guard is dropped. A request is recorded when it arrives; its reply
    /// is chosen when it is let go, so that a client that dies meanwhile uses up none.
    #[must_use]
    pub fn hold(&self) -> Hold {
        self.state.hold()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use serde_json::json;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    use super::*;

    /// Sends a request by hand, and returns the connection.
    async fn open(fake: &OpenAiFake, line: &str, headers: &str, body: &str) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(fake.address()).await?;
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nhost: fake\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await?;
        Ok(stream)
    }

    async fn send(fake: &OpenAiFake, line: &str, headers: &str, body: &str) -> io::Result<String> {
        let mut answer = String::new();
        open(fake, line, headers, body)
            .await?
            .read_to_string(&mut answer)
            .await?;
        Ok(answer)
    }

    const JSON: &str = "content-type: application/json\r\n";
    const COMPLETE: &str = "POST /v1/chat/completions";

    fn hello() -> String {
        json!({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).to_string()
    }

    #[tokio::test]
    async fn the_queue_comes_before_the_handler_and_without_either_the_request_is_refused() -> io::Result<()> {
        let fake = OpenAiFake::start().await;
        assert!(send(&fake, COMPLETE, JSON, &hello()).await?.starts_with("HTTP/1.1 400"));
        fake.respond_with(|request| Reply::text(format!("handled {}", request.last_text())));
        fake.push(Reply::text("queued"));
        assert!(
            send(&fake, COMPLETE, JSON, &hello())
                .await?
                .contains("\"content\":\"queued\"")
        );
        assert!(
            send(&fake, COMPLETE, JSON, &hello())
                .await?
                .contains("\"content\":\"handled hello\"")
        );
        assert_eq!((fake.request_count(), fake.violations().len()), (3, 0));
        Ok(())
    }

    #[tokio::test]
    async fn a_client_that_dies_while_it_is_held_uses_up_no_reply() -> io::Result<()> {
        let fake = OpenAiFake::start().await;
        fake.push(Reply::text("the only one"));
        let hold = fake.hold();
        let dying = open(&fake, COMPLETE, JSON, &hello()).await?;
        fake.wait_for_requests(1).await;
        drop(dying);
        let living = open(&fake, COMPLETE, JSON, &hello()).await;
        assert_eq!(fake.wait_for_requests(2).await.len(), 2);
        hold.release();
        let mut answer = String::new();
        living?.read_to_string(&mut answer).await?;
        assert!(answer.contains("the only one"), "{answer}");
        Ok(())
    }

    #[tokio::test]
    async fn a_break_of_the_protocol_is_answered_and_kept() -> io::Result<()> {
        let fake = OpenAiFake::start().await;
        for (line, headers, body, status) in [
            ("POST /v1/completions", JSON, "{}", "404"),
            ("GET /v1/chat/completions", "", "", "405"),
            (COMPLETE, "", "{}", "415"),
            (COMPLETE, JSON, "{", "400"),
            (COMPLETE, JSON, "{}", "400"),
        ] {
            let answer = send(&fake, line, headers, body).await?;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{line}: {answer}");
        }
        assert_eq!(fake.violations().len(), 5);
        Ok(())
    }

    #[tokio::test]
    async fn models_are_listed_for_whoever_has_the_key() -> io::Result<()> {
        let fake = OpenAiFake::start().await;
        fake.require_key("sk-1");
        fake.only_models(["small", "large"]);
        assert!(send(&fake, "GET /v1/models", "", "").await?.starts_with("HTTP/1.1 401"));
        let answer = send(&fake, "GET /v1/models", "authorization: Bearer sk-1\r\n", "").await?;
        assert!(
            answer.contains("\"id\":\"small\"") && answer.contains("\"id\":\"large\""),
            "{answer}"
        );
        assert_eq!(fake.violations(), Vec::<String>::new());
        Ok(())
    }

    #[tokio::test]
    async fn dropping_it_ends_what_never_answers() -> io::Result<()> {
        let fake = OpenAiFake::start().await;
        fake.push(Reply::never());
        let mut waiting = open(&fake, COMPLETE, JSON, &hello()).await?;
        fake.wait_for_requests(1).await;
        let address = fake.address();
        drop(fake);
        let mut answer = String::new();
        // Closed in one way or the other; what counts is that it does not stay open.
        let _ = waiting.read_to_string(&mut answer).await;
        assert_eq!(answer, "");
        assert!(TcpStream::connect(address).await.is_err());
        Ok(())
    }
}
