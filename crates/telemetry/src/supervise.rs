//! Supervises the essential background loops and restarts any that panics.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures::FutureExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::measures;

/// The first wait after a panic, and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
/// A task that has worked for so long since its last panic begins with the first wait again.
const STEADY: Duration = Duration::from_secs(60);

/// Runs `work` until it ends by itself, or until `stop`. A panic is counted and logged, and the work restarts: almost at
/// once, then after growing waits.
///
/// The state that it holds must be valid after every `.await`, as it must be for a task that is dropped.
pub async fn restart_on_panic<F: Future<Output = ()>>(
    name: &str,
    stop: CancellationToken,
    mut work: impl FnMut() -> F,
) {
    let mut backoff = BACKOFF.0;
    loop {
        let began = Instant::now();
        if AssertUnwindSafe(work()).catch_unwind().await.is_ok() {
            return;
        }
        measures::panicked();
        if began.elapsed() > STEADY {
            backoff = BACKOFF.0;
        }
        tracing::error!(
            name,
            wait_ms = backoff.as_millis(),
            "background loop panicked, restarting it"
        );
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(backoff) => {}
        }
        backoff = (backoff * 2).min(BACKOFF.1);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_panics_is_begun_again_until_it_ends_by_itself() {
        let times = AtomicU32::new(0);
        let began = Instant::now();
        restart_on_panic("a test", CancellationToken::new(), async || {
            let time = times.fetch_add(1, Ordering::Relaxed);
            assert!(time >= 3, "the {time}th panic");
        })
        .await;
        assert_eq!(times.load(Ordering::Relaxed), 4);
        assert_eq!(began.elapsed().as_millis(), 100 + 200 + 400);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_begun_again_after_the_stop() {
        let stop = CancellationToken::new();
        let times = AtomicU32::new(0);
        restart_on_panic("a test", stop.clone(), async || {
            times.fetch_add(1, Ordering::Relaxed);
            stop.cancel();
            panic!("the last one");
        })
        .await;
        assert_eq!(times.load(Ordering::Relaxed), 1);
    }
}
