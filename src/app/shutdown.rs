//! The end of a process: work is finished or released, in the time that it has.
//!
//! **The end of a process** (`src/app/shutdown.rs`) has a deadline for each part, so that what hangs in one leaves
//! time for the next: runs finish or are released, what is ready is sent, leases are released. They are renewed
//! until then: an end may take longer than a lease, and nobody must take over what is still in flight.

use std::time::Duration;

use clifford_store::runs::queue as run_queue;
use tokio::time::{Instant, timeout_at};

use super::App;

/// However little time is given, this much is needed to give back what is in flight.
const LEAST: Duration = Duration::from_millis(500);

/// When each part of the end is over at the latest. A part that is late leaves time for the next, and the last leaves
/// some for the process to exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Deadlines {
    /// Runs come to an end by themselves, and callers of the API have their answers.
    finish: Instant,
    /// Runs that did not are released.
    release: Instant,
    /// Messages that are ready are sent.
    send: Instant,
    /// Calls that are under way are waited for.
    sent: Instant,
    /// The background loops have ended.
    quiet: Instant,
    /// Leases are given back, and the database is closed.
    close: Instant,
    /// The last traces are sent.
    traces: Instant,
}

impl Deadlines {
    fn of(began: Instant, whole: Duration) -> Self {
        let sixteenth = whole.max(LEAST) / 16;
        let at = |sixteenths| began + sixteenth * sixteenths;
        Self {
            finish: at(8),
            release: at(10),
            send: at(11),
            sent: at(12),
            quiet: at(13),
            close: at(14),
            traces: at(15),
        }
    }
}

/// Until when the last traces may be sent, after all else: the rest is for the process to go.
pub(crate) fn traces_until(began: Instant, whole: Duration) -> Instant {
    Deadlines::of(began, whole).traces
}

impl App {
    /// Stops within `shutdown_seconds`. Nothing new is taken from now on. Runs that are at work come to an end, or are
    /// released in time; what is ready is sent; leases are renewed until they are released, so that no other process
    /// takes over what is still in flight here, and need not wait for what is not.
    pub async fn shutdown(self) {
        let whole = self.config.engine.shutdown;
        let until = Deadlines::of(Instant::now(), whole);
        if let Some(token) = self.announcement.token.get() {
            self.announcement.file.take_back(token);
        }
        self.stop.cancel();
        self.background_stop.cancel();
        if timeout_at(until.finish, self.finished()).await.is_err() {
            tracing::info!("leaving runs in flight to the next start or another process");
            self.context.stop();
            if timeout_at(until.release, self.context.at_rest()).await.is_err() {
                tracing::warn!("run did not stop in time");
            }
        }
        self.release_runs(until.close).await;
        tokio::join!(
            self.context.delivery.flush(until.send, until.sent),
            self.mcp.end(until.sent),
        );
        self.empty_handed.cancel();
        self.background.close();
        timeout_at(until.quiet, self.background.wait()).await.ok();
        if timeout_at(until.close, self.close()).await.is_err() {
            tracing::warn!("database did not answer in time, leases lapse by themselves");
        }
    }

    /// Waits until nothing comes in any more, and then until no run is at work: what comes in may begin one.
    async fn finished(&self) {
        self.receivers.close();
        self.receivers.wait().await;
        self.context.at_rest().await;
    }

    async fn release_runs(&self, until: Instant) {
        let worker = self.context.worker();
        let given = self
            .db
            .write(move |tx| Box::pin(run_queue::release_runs(tx, Some(worker))));
        // Leases that cannot be released now are released with the rest.
        if let Ok(Err(error)) = timeout_at(until, given).await {
            tracing::warn!(%error, "failed to release runs, retrying");
        }
    }

    async fn close(&self) {
        let worker = self.context.worker();
        let given = self
            .db
            .write(move |tx| Box::pin(run_queue::release_all(tx, Some(worker))));
        if let Err(error) = given.await {
            tracing::warn!(%error, "failed to release leases, which lapse by themselves");
        }
        self.db.close().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_leaves_time_for_the_next_and_all_end_in_the_time_that_is_given() {
        let began = Instant::now();
        let after = |whole| {
            let until = Deadlines::of(began, whole);
            [
                until.finish,
                until.release,
                until.send,
                until.sent,
                until.quiet,
                until.close,
                until.traces,
            ]
            .map(|at| at.saturating_duration_since(began).as_millis())
        };
        assert_eq!(
            after(Duration::from_secs(16)),
            [8_000, 10_000, 11_000, 12_000, 13_000, 14_000, 15_000]
        );
        assert_eq!(after(Duration::ZERO), [250, 312, 343, 375, 406, 437, 468]);
    }
}
