//! Deletes compacted messages that were kept for long enough, a batch at a time, so that nobody waits for it.

use std::time::Duration;

use async_trait::async_trait;
use clifford_core::{clock::Timestamp, work::MaintenanceKind};
use clifford_store::{
    Db, StoreError,
    memory::write::{self as memory_write, CompactedSpan},
};

use super::MaintenanceJob;
use crate::{Context, EngineSettings};

/// How often.
const EVERY: Duration = Duration::from_secs(300);
/// How many compactions are looked up at once.
const COMPACTIONS: u32 = 200;
/// How many messages are deleted in one transaction.
const BATCH: u32 = 500;

/// The job that deletes compacted messages.
#[derive(Clone, Copy, Debug)]
pub struct CompactedMessages;

#[async_trait]
impl MaintenanceJob for CompactedMessages {
    fn kind(&self) -> MaintenanceKind {
        MaintenanceKind::CompactedMessages
    }

    fn every(&self, _: &EngineSettings) -> Option<Duration> {
        Some(EVERY)
    }

    async fn run(&self, cx: &Context) -> Result<(), StoreError> {
        let before = cx.clock.now().before(cx.settings.memory.retain_compacted);
        let mut after = None;
        // Of some, messages stay for now: those of runs that wait.
        loop {
            let kept = memory_write::kept(&mut cx.db.read().await?, before, after, COMPACTIONS).await?;
            let Some(last) = kept.last() else { return Ok(()) };
            after = Some(last.id);
            for compaction in kept {
                while delete(&cx.db, compaction, cx.clock.now()).await? > 0 {}
            }
        }
    }
}

/// Deletes a batch of a compaction's messages, and returns how many there were.
async fn delete(db: &Db, compaction: CompactedSpan, now: Timestamp) -> Result<usize, StoreError> {
    let CompactedSpan {
        id,
        context_id,
        through,
    } = compaction;
    db.write(move |tx| {
        Box::pin(async move {
            let deleted = memory_write::delete_compacted(tx, context_id, through, BATCH).await?;
            memory_write::purged(tx, id, now).await?;
            Ok(deleted)
        })
    })
    .await
}
