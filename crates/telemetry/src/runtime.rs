//! The process itself: how many files it may open; and, as metrics, how many tasks there are and how late timers come.

use std::time::Duration;

use metrics::{gauge, histogram};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{runtime::Handle, time::Instant};
use tokio_util::sync::CancellationToken;

/// How often to look.
const EVERY: Duration = Duration::from_millis(250);
/// As many files as may ever be open at a time. Programs that this one starts inherit it, and some of them take long
/// with millions.
const MOST_FILES: u64 = 65_536;

/// Lets this process open as many files as its hard limit allows: each model call that waits for its answer is one, and
/// the soft limit is often 1,024. Returns how many it may open then.
pub fn raise_open_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(MOST_FILES, |hard| hard.min(MOST_FILES));
    let soft = limit.current.unwrap_or(u64::MAX);
    if soft >= wanted {
        return soft;
    }
    let raised = Rlimit {
        current: Some(wanted),
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => wanted,
        Err(error) => {
            tracing::debug!(%error, "failed to raise the limit of open files");
            soft
        }
    }
}

/// Watches until `stop`. A timer is late when no worker thread was free to notice it: everything else that waits is
/// late too.
pub async fn watch(stop: CancellationToken) {
    let runtime = Handle::current().metrics();
    loop {
        #[expect(clippy::cast_precision_loss, reason = "tasks are far below 2^52")]
        gauge!("clifford_tasks").set(runtime.num_alive_tasks() as f64);
        let due = Instant::now() + EVERY;
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep_until(due) => {}
        }
        histogram!("clifford_timer_lateness_seconds").record(due.elapsed());
    }
}
