//! What the fake remembers: its script, what came, and whether replies are held back.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use hyper::HeaderMap;
use serde_json::Value;
use tokio::sync::watch;

use super::{
    Reply,
    window::{Listing, Window},
};

/// One request for a chat completion, as it came.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Value,
}

impl RecordedRequest {
    /// A header's text, or nothing.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The messages; none if the body had none.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The text of one message; empty if there is no such message or it holds no text.
    #[must_use]
    pub fn text(&self, index: usize) -> &str {
        self.messages()
            .get(index)
            .and_then(|message| message["content"].as_str())
            .unwrap_or_default()
    }

    /// The text of the last message.
    #[must_use]
    pub fn last_text(&self) -> &str {
        self.text(self.messages().len().saturating_sub(1))
    }

    /// The model that was asked for.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Whether a stream was asked for.
    #[must_use]
    pub fn stream(&self) -> bool {
        self.body["stream"] == true
    }
}

type Handler = Arc<dyn Fn(&RecordedRequest) -> Reply + Send + Sync>;

/// What to answer, and to whom.
#[derive(Default)]
pub(super) struct Script {
    /// What was asked of other routes: path and body.
    pub(super) others: Vec<(String, Value)>,
    pub(super) queue: VecDeque<Reply>,
    pub(super) handler: Option<Handler>,
    pub(super) key: Option<String>,
    pub(super) models: Option<Vec<String>>,
    pub(super) window: Option<Window>,
    pub(super) listing: Option<Listing>,
    pub(super) bills_schema: bool,
}

/// What the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    OpenAi,
    Anthropic,
}

/// Shared by the fake and its connections.
pub(super) struct State {
    pub(super) protocol: Protocol,
    script: Mutex<Script>,
    recording: AtomicBool,
    requests: Mutex<Vec<Arc<RecordedRequest>>>,
    violations: Mutex<Vec<String>>,
    arrived: watch::Sender<usize>,
    holds: watch::Sender<usize>,
}

impl State {
    pub(super) fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            script: Mutex::default(),
            recording: AtomicBool::new(true),
            requests: Mutex::default(),
            violations: Mutex::default(),
            arrived: watch::Sender::new(0),
            holds: watch::Sender::new(0),
        }
    }

    pub(super) fn script(&self) -> MutexGuard<'_, Script> {
        lock(&self.script)
    }

    pub(super) fn record(&self, on: bool) {
        self.recording.store(on, Ordering::Relaxed);
    }

    pub(super) fn arrived(&self, request: &Arc<RecordedRequest>) {
        if self.recording.load(Ordering::Relaxed) {
            lock(&self.requests).push(Arc::clone(request));
        }
        self.arrived.send_modify(|count| *count += 1);
    }

    pub(super) fn requests(&self) -> Vec<Arc<RecordedRequest>> {
        lock(&self.requests).clone()
    }

    pub(super) fn count(&self) -> usize {
        *self.arrived.borrow()
    }

    pub(super) fn arrivals(&self) -> watch::Receiver<usize> {
        self.arrived.subscribe()
    }

    pub(super) fn violated(&self, what: String) {
        lock(&self.violations).push(what);
    }

    pub(super) fn violations(&self) -> Vec<String> {
        lock(&self.violations).clone()
    }

    /// The reply to this request: from the queue, else from the handler.
    pub(super) fn choose(&self, request: &RecordedRequest) -> Option<Reply> {
        let handler = {
            let mut script = self.script();
            match script.queue.pop_front() {
                Some(reply) => return Some(reply),
                None => script.handler.clone(),
            }
        };
        handler.map(|handler| handler(request))
    }

    pub(super) fn hold(&self) -> Hold {
        self.holds.send_modify(|holds| *holds += 1);
        Hold {
            holds: self.holds.clone(),
        }
    }

    /// Returns when nobody holds replies back.
    pub(super) async fn let_go(&self) {
        if *self.holds.borrow() > 0 {
            // An error means that the fake is gone, and with it this connection.
            let _ = self.holds.subscribe().wait_for(|holds| *holds == 0).await;
        }
    }
}

/// Holds replies back while it lives.
#[derive(Debug)]
pub struct Hold {
    holds: watch::Sender<usize>,
}

impl Hold {
    /// Lets the replies go; dropping does the same.
    pub fn release(self) {
        drop(self);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.holds.send_modify(|holds| *holds = holds.saturating_sub(1));
    }
}

/// A test that panicked in a handler must not make every later assertion fail for another reason.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
