//! How the process itself is doing, as metrics: how many tasks there are, and how late timers come.

use std::time::Duration;

use metrics::{Unit, describe_gauge, describe_histogram, gauge, histogram};
use tokio::{runtime::Handle, time::Instant};
use tokio_util::sync::CancellationToken;

/// How often to look.
const EVERY: Duration = Duration::from_millis(250);

/// Looks until `stop`. A timer is late when no worker thread was free to notice it: whatever else waits is late too.
pub async fn watch(stop: CancellationToken) {
    describe_gauge!("clifford_tasks", "Tasks of this process that have not ended");
    describe_histogram!(
        "clifford_timer_lateness_seconds",
        Unit::Seconds,
        "How long after its time a timer was noticed"
    );
    let runtime = Handle::current().metrics();
    loop {
        let due = Instant::now() + EVERY;
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep_until(due) => {}
        }
        histogram!("clifford_timer_lateness_seconds").record(due.elapsed());
        #[expect(clippy::cast_precision_loss, reason = "tasks are far below 2^52")]
        gauge!("clifford_tasks").set(runtime.num_alive_tasks() as f64);
    }
}
