//! The state that all streams of this process share: how many a token has open, and one look at the rows of every run
//! that is watched.
//!
//! Events tell of the writes of this process. The look finds those of other processes: one statement for all runs,
//! whatever the number of streams, and a stream reads its run only if something changed.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clifford_core::id::RunId;
use clifford_engine::events::RunEvent;
use clifford_store::{
    StoreError,
    runs::views::{self as run_views, Version},
};
use tokio_util::task::TaskTracker;

use super::super::{
    Shared,
    problem::{Code, Problem},
};

/// How often the rows of the runs that are watched are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The streams of this process.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    kept: Mutex<Kept>,
    tasks: TaskTracker,
}

#[derive(Debug, Default)]
struct Kept {
    /// How many streams each token has open.
    by_token: HashMap<String, u32>,
    /// The runs that are watched.
    runs: HashMap<RunId, Watched>,
    /// A task looks at them.
    looks: bool,
}

#[derive(Debug, Default)]
struct Watched {
    streams: usize,
    /// How it stood when it was last looked at.
    version: Option<Version>,
}

impl Streams {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one stream of a token; dropping it makes room for another.
pub(crate) struct Seat {
    api: Shared,
    token: String,
}

impl Seat {
    /// Makes room for one more stream of a token.
    ///
    /// # Errors
    /// The token has as many open as it may.
    pub(crate) fn take(api: &Shared, token: &str) -> Result<Self, Problem> {
        let most = api.settings.max_streams_per_token;
        let mut kept = api.state.streams.kept();
        let open = kept.by_token.entry(token.to_owned()).or_default();
        if *open >= most {
            let detail = format!("a token has at most {most} streams open (http.max_streams_per_token)");
            return Err(Problem::new(Code::TooManyConnections, detail));
        }
        *open += 1;
        drop(kept);
        Ok(Self {
            api: Shared::clone(api),
            token: token.to_owned(),
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut kept = self.api.state.streams.kept();
        if let Some(open) = kept.by_token.get_mut(&self.token) {
            *open -= 1;
            if *open == 0 {
                kept.by_token.remove(&self.token);
            }
        }
    }
}

/// A stream of a run that is open.
pub(super) struct Open {
    seat: Seat,
    run: RunId,
}

impl Open {
    /// Watches a run for one more stream of a token.
    ///
    /// # Errors
    /// The token has as many open as it may.
    pub(super) fn new(api: &Shared, token: &str, run: RunId) -> Result<Self, Problem> {
        let seat = Seat::take(api, token)?;
        let begins = {
            let mut kept = api.state.streams.kept();
            kept.runs.entry(run).or_default().streams += 1;
            !std::mem::replace(&mut kept.looks, true)
        };
        if begins {
            let looking = look_on(Shared::clone(api));
            api.state.streams.tasks.spawn(looking);
        }
        Ok(Self { seat, run })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut kept = self.seat.api.state.streams.kept();
        if let Some(watched) = kept.runs.get_mut(&self.run) {
            watched.streams -= 1;
            if watched.streams == 0 {
                kept.runs.remove(&self.run);
            }
        }
    }
}

/// Looks at what is watched until nothing is.
async fn look_on(api: Shared) {
    loop {
        tokio::select! {
            () = api.stop.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        let runs: Vec<_> = {
            let mut kept = api.state.streams.kept();
            if kept.runs.is_empty() {
                kept.looks = false;
                return;
            }
            kept.runs.keys().copied().collect()
        };
        match changed(&api, &runs).await {
            Ok(changed) => {
                for run in changed {
                    api.context.events.tell(run, RunEvent::Changed);
                }
            }
            Err(error) => tracing::warn!(%error, "failed to poll watched runs, retrying"),
        }
    }
}

/// Which of these runs stand elsewhere than at the last look.
async fn changed(api: &Shared, runs: &[RunId]) -> Result<Vec<RunId>, StoreError> {
    let now = api.clock.now();
    let found = run_views::versions(&mut api.db.read().await?, runs, now).await?;
    let mut found: HashMap<_, _> = found.into_iter().map(|version| (version.id, version)).collect();
    let mut kept = api.state.streams.kept();
    let changed = runs.iter().copied().filter(|run| {
        let Some(watched) = kept.runs.get_mut(run) else {
            return false;
        };
        let version = found.remove(run);
        std::mem::replace(&mut watched.version, version.clone()) != version
    });
    Ok(changed.collect())
}
