//! A stream of events, read for as long as its tokens come: bytes that say nothing keep no stream alive.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, timeout_at};

use super::{body::Pieces, sse::Decoder};
use crate::settings::Timeouts;

/// How long the end of a stream is waited for after its last event, so that the connection can be used again.
const LAST_BYTES: Duration = Duration::from_millis(50);
/// How long the usage is waited for after a reply that has told why it ends.
const LAST_EVENTS: Duration = Duration::from_millis(1500);

/// When a call began, and when its reply last grew.
#[derive(Debug)]
pub(crate) struct Flow {
    began: Instant,
    last: Mutex<Option<Instant>>,
}

impl Flow {
    /// A call that begins now.
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            last: Mutex::default(),
        }
    }

    /// When it began.
    pub(crate) const fn began(&self) -> Instant {
        self.began
    }

    /// The reply has grown.
    pub(crate) fn grew(&self) {
        *self.inner() = Some(Instant::now());
    }

    /// When it last grew.
    pub(crate) fn last(&self) -> Option<Instant> {
        *self.inner()
    }

    fn inner(&self) -> MutexGuard<'_, Option<Instant>> {
        // Nothing in here can be half done.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a stream cannot be read further, in words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It broke.
    Broken(String),
    /// It is there, and says nothing.
    Silent(String),
}

/// A stream of events.
pub(crate) struct Events<'a> {
    pieces: Pieces,
    decoder: Decoder,
    over: bool,
    flow: &'a Flow,
    timeouts: Timeouts,
    /// Until when more is waited for, if nothing that follows is needed.
    settled: Option<Instant>,
}

impl<'a> Events<'a> {
    pub(crate) fn new(pieces: Pieces, flow: &'a Flow, timeouts: Timeouts) -> Self {
        Self {
            pieces,
            decoder: Decoder::default(),
            over: false,
            flow,
            timeouts,
            settled: None,
        }
    }

    /// The reply is complete, and only its usage may follow: from now on neither silence nor a break is an error.
    pub(crate) fn settle(&mut self) {
        let until = Instant::now() + LAST_EVENTS.min(self.timeouts.idle);
        self.settled.get_or_insert(until);
    }

    /// The reply goes on all the same.
    pub(crate) const fn unsettle(&mut self) {
        self.settled = None;
    }

    /// The data of the next event; `None`: the stream has ended.
    ///
    /// # Errors
    /// Why it cannot be read further.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, Ended> {
        loop {
            if let Some(event) = self.decoder.next() {
                return Ok(Some(event));
            }
            if self.over {
                return Ok(self.decoder.rest());
            }
            let last = self.flow.last();
            let until = match (self.settled, last) {
                (Some(settled), _) => settled,
                (None, None) => self.flow.began() + self.timeouts.first_token,
                (None, Some(last)) => last + self.timeouts.idle,
            };
            match timeout_at(until, self.pieces.next_ever()).await {
                Ok(Ok(Some(piece))) => self.decoder.push(&piece),
                Ok(Ok(None)) => self.over = true,
                Ok(Err(_)) | Err(_) if self.settled.is_some() => return Ok(None),
                Ok(Err(reason)) => return Err(Ended::Broken(reason)),
                Err(_) if last.is_none() => {
                    return Err(Ended::Silent(format!(
                        "no token within {:?}",
                        self.timeouts.first_token
                    )));
                }
                Err(_) => return Err(Ended::Silent(format!("no further token for {:?}", self.timeouts.idle))),
            }
        }
    }

    /// Reads what follows the last event that matters, if it comes at once.
    pub(crate) async fn end(&mut self) {
        // Whether the end comes in time does not matter to the reply.
        let _ = tokio::time::timeout(LAST_BYTES, self.pieces.next()).await;
    }
}
