//! Deletes contents that belong to no file: left by deleted rows, or by a process that died before it wrote one.

use std::time::Duration;

use clifford_core::clock::Timestamp;
use clifford_store::{Db, StoreError, files};

use super::{Storage, StorageError};

/// How long a content may wait for its row.
const GRACE: Duration = Duration::from_secs(3600);
/// How many are deleted at a time.
const BATCH: u32 = 100;

/// Deletes what belongs to no file, and returns how much there was.
///
/// # Errors
/// The database or the file storage fails; what could not be deleted is tried again the next time.
pub async fn sweep(db: &Db, storage: &Storage, now: Timestamp) -> Result<usize, StoreError> {
    let loose = files::loose_before(&mut db.read().await?, now.before(GRACE), BATCH).await?;
    for location in &loose {
        match storage.delete(vec![location.clone()]).await {
            Ok(()) | Err(StorageError::Missing) => {}
            Err(StorageError::Unavailable(why)) => return Err(StoreError::Unavailable(why)),
        }
        let location = location.clone();
        db.write(move |tx| Box::pin(async move { files::not_loose(tx, &location).await }))
            .await?;
    }
    Ok(loose.len())
}
