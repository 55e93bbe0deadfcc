//! Notices that the database takes no writes for long (a full disk): nobody works on the run then, and nobody says so.

use std::time::Duration;

use clifford_store::{Db, StoreError, places::settings};
use tokio::time::{Instant, sleep};

use crate::cli::setup;

/// How often it is tried.
const EVERY: Duration = Duration::from_secs(5);
/// A disk may be full for a moment; after this long the person is told.
const PATIENCE: Duration = Duration::from_secs(15);

/// Waits until the database has taken no writes for some time, and returns why.
pub(super) async fn refused(db: &Db) -> StoreError {
    lasting(async || {
        let now = setup::now();
        db.write(move |tx| {
            Box::pin(async move {
                settings::put(tx, settings::BOT, settings::LAST_READY_CHECK, &now.to_string(), now).await
            })
        })
        .await
    })
    .await
}

/// The error of attempts that have failed one after another for long enough.
async fn lasting<E>(mut attempt: impl AsyncFnMut() -> Result<(), E>) -> E {
    let mut since: Option<Instant> = None;
    loop {
        sleep(EVERY).await;
        match attempt().await {
            Ok(()) => since = None,
            Err(error) if since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE => return error,
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_what_fails_again_and_again_for_long_is_told() {
        let began = Instant::now();
        let mut attempts = 0;
        let error = lasting(async || {
            attempts += 1;
            // It comes back once in between.
            if attempts == 3 { Ok(()) } else { Err(attempts) }
        })
        .await;
        assert_eq!((error, began.elapsed()), (7, EVERY * 7));
    }
}
