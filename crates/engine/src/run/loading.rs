//! Reading a held run, also while the database is away.

use std::time::Duration;

use clifford_store::{StoreError, runs::Lease};

use super::unread;
use crate::{Context, work::Work};

/// How long to wait when the database is away.
const RETRY: Duration = Duration::from_secs(1);

impl Context {
    /// Reads all that belongs to a held run, and waits for the database if it is away: what is held and not
    /// worked on would be held for ever. `None`: this process stops.
    ///
    /// # Errors
    /// The run cannot be read.
    pub async fn load_patiently(&self, lease: Lease) -> Result<Option<Work>, StoreError> {
        loop {
            match self.load(lease).await {
                Ok(work) => return Ok(Some(work)),
                Err(error) if unread::is_unreadable(&error) => return Err(error),
                Err(error) => tracing::warn!(run_id = %lease.run, %error, "run waits for the database"),
            }
            tokio::select! {
                () = self.process.stop.cancelled() => return Ok(None),
                () = tokio::time::sleep(RETRY) => {}
            }
        }
    }

    /// Reads all that belongs to a held run.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if the run or its agent is gone.
    pub async fn load(&self, lease: Lease) -> Result<Work, StoreError> {
        Work::load(&mut self.db.read().await?, lease).await
    }
}
