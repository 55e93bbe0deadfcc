//! Cancelling: a run and its whole tree, whoever holds them. What they write afterwards is refused.

use super::commit::wake_parent;
use crate::{
    clock::Timestamp,
    id::RunId,
    store::{StoreError, Tx, notify, runs, triggers},
};

/// Cancels a run and everything it created. Returns each run that was cancelled with the claim that held it;
/// none if the run had ended.
///
/// # Errors
/// The store's.
pub async fn tree(tx: &mut Tx, root: RunId, reason: &str, now: Timestamp) -> Result<Vec<(RunId, i64)>, StoreError> {
    let mut cancelled = Vec::new();
    let mut left = vec![root];
    while let Some(id) = left.pop() {
        left.extend(runs::children(tx, id).await?.into_iter().map(|child| child.id));
        if let Some(run) = runs::cancel(tx, id, reason, now).await? {
            triggers::remove(tx, id).await?;
            // The row holds the claim that cancelling made: the worker's is the one before.
            cancelled.push((id, run.epoch - 1));
            if id == root && wake_parent(tx, &run, now).await? {
                notify::work(tx).await?;
            }
        }
    }
    Ok(cancelled)
}
