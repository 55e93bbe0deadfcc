//! The state of the fake: its script, the requests, and whether replies are held back.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::Value;
use tokio::sync::watch;

use super::{
    reply::Reply,
    request::{Protocol, RecordedRequest},
    window::{Listing, Window},
};

type Handler = Arc<dyn Fn(&RecordedRequest) -> Reply + Send + Sync>;

/// The replies, and their requests.
#[derive(Default)]
pub(crate) struct Script {
    /// Requests to other routes: path and body.
    pub(crate) others: Vec<(String, Value)>,
    /// The statuses with which the next of them are refused.
    pub(crate) refusing: VecDeque<u16>,
    pub(crate) queue: VecDeque<Reply>,
    pub(crate) handler: Option<Handler>,
    pub(crate) key: Option<String>,
    pub(crate) models: Option<Vec<String>>,
    pub(crate) window: Option<Window>,
    pub(crate) listing: Option<Listing>,
    pub(crate) bills_schema: bool,
}

/// Shared by the fake and its connections.
pub(crate) struct State {
    pub(crate) protocol: Protocol,
    script: Mutex<Script>,
    recording: AtomicBool,
    requests: Mutex<Vec<Arc<RecordedRequest>>>,
    violations: Mutex<Vec<String>>,
    arrived: watch::Sender<usize>,
    holds: watch::Sender<usize>,
}

impl State {
    pub(crate) fn new(protocol: Protocol) -> Self {
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

    pub(crate) fn script(&self) -> MutexGuard<'_, Script> {
        lock(&self.script)
    }

    pub(crate) fn record(&self, on: bool) {
        self.recording.store(on, Ordering::Relaxed);
    }

    pub(crate) fn arrived(&self, request: &Arc<RecordedRequest>) {
        if self.recording.load(Ordering::Relaxed) {
            lock(&self.requests).push(Arc::clone(request));
        }
        self.arrived.send_modify(|count| *count += 1);
    }

    pub(crate) fn requests(&self) -> Vec<Arc<RecordedRequest>> {
        lock(&self.requests).clone()
    }

    pub(crate) fn count(&self) -> usize {
        *self.arrived.borrow()
    }

    pub(crate) fn arrivals(&self) -> watch::Receiver<usize> {
        self.arrived.subscribe()
    }

    pub(crate) fn violated(&self, what: String) {
        lock(&self.violations).push(what);
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        lock(&self.violations).clone()
    }

    /// The reply to this request: from the queue, else from the handler.
    pub(crate) fn choose(&self, request: &RecordedRequest) -> Option<Reply> {
        let handler = {
            let mut script = self.script();
            match script.queue.pop_front() {
                Some(reply) => return Some(reply),
                None => script.handler.clone(),
            }
        };
        handler.map(|handler| handler(request))
    }

    pub(crate) fn hold(&self) -> Hold {
        self.holds.send_modify(|holds| *holds += 1);
        Hold {
            holds: self.holds.clone(),
        }
    }

    /// Returns when nobody holds replies back.
    pub(crate) async fn release(&self) {
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
