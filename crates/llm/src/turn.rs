//! How long one of several models is waited for.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clifford_llm_api::model::{Sink, Usage};
use tokio::time::{Instant, sleep_until};

/// The longest pause in a reply that is being written when its model's share is over.
const PAUSE: Duration = Duration::from_secs(5);

/// How long one may be silent that was left alone, where others can be asked: most often it is still away.
const PROBE: Duration = Duration::from_secs(5);

/// One model's share of the time that somebody waits.
pub(crate) struct Turn(Option<Bounds>);

struct Bounds {
    /// Until when it may be silent.
    share: Instant,
    /// Until when it may write.
    deadline: Option<Instant>,
}

impl Turn {
    /// The share of a model behind which so many others may be asked. `is_probe`: it was left alone before.
    pub(crate) fn new(deadline: Option<Instant>, others: u32, is_probe: bool) -> Self {
        let now = Instant::now();
        let share = deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(now);
            now + left / others.saturating_add(1)
        });
        let probe = (is_probe && others > 0).then(|| now + PROBE);
        let share = [share, probe].into_iter().flatten().min();
        Self(share.map(|share| Bounds { share, deadline }))
    }

    /// Waits until its time is over. A server that has begun to write may go on until the deadline, without pauses.
    pub(crate) async fn over(&self, heard: &Heard) {
        let Some(Bounds { share, deadline }) = self.0 else {
            return std::future::pending().await;
        };
        let mut until = share;
        loop {
            sleep_until(until).await;
            let pause_over = heard.last().map(|at| at + PAUSE);
            let writes_until = pause_over.map(|at| deadline.map_or(at, |deadline| at.min(deadline)));
            match writes_until.filter(|at| *at > until) {
                Some(at) => until = at,
                None => return,
            }
        }
    }
}

/// When a sink last got something that still holds.
#[derive(Default)]
pub(crate) struct Heard(Mutex<Option<Instant>>);

impl Heard {
    /// The sink, listened to.
    pub(crate) fn by<'a>(&'a self, sink: &'a mut dyn Sink) -> Listening<'a> {
        Listening { sink, heard: self }
    }

    /// When that was; `None`: it got nothing, or what it got is void.
    pub(crate) fn last(&self) -> Option<Instant> {
        *self.inner()
    }

    fn inner(&self) -> MutexGuard<'_, Option<Instant>> {
        // Nothing in here can be half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sink that is listened to.
pub(crate) struct Listening<'a> {
    sink: &'a mut dyn Sink,
    heard: &'a Heard,
}

impl Sink for Listening<'_> {
    fn text(&mut self, delta: &str) {
        *self.heard.inner() = Some(Instant::now());
        self.sink.text(delta);
    }

    fn reset(&mut self) {
        *self.heard.inner() = None;
        self.sink.reset();
    }

    fn began(&mut self, provider: &str, model: &str) {
        self.sink.began(provider, model);
    }

    fn used(&mut self, usage: Usage) {
        self.sink.used(usage);
    }
}
