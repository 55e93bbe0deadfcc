//! What has to be done from time to time: idle conversations are closed, compacted messages and reminders that are
//! over deleted when their time has come, and what is left of files goes.

use std::{sync::Arc, time::Duration};

use clifford_content::files;
use clifford_core::{
    budget::{self, Period},
    policy::Action,
};
use clifford_store::{
    StoreError, budgets,
    memory::write::{self as memory_write, Kept},
    places::policies,
    triggers,
};
use clifford_tools::trial;
use tokio_util::sync::CancellationToken;

use crate::{Context, memory::closing};

/// How often.
const EVERY: Duration = Duration::from_secs(300);
/// How long a reminder is kept that will not be said again.
const REMINDERS_KEPT: Duration = Duration::from_secs(30 * 86_400);
/// How long it is kept how a budget stood.
const BUDGETS_KEPT: Duration = Duration::from_secs(62 * 86_400);
/// How long the signature of a webhook's request is kept; it is good for minutes.
const SIGNATURES_KEPT: Duration = Duration::from_secs(86_400);
/// How many compactions are looked at each time.
const COMPACTIONS: u32 = 200;
/// How many messages are deleted in one transaction.
const BATCH: u32 = 500;

/// Keeps house until `stop`. Conversations in which nobody spoke for `idle` are closed; none: they stay open.
pub async fn run(cx: Arc<Context>, idle: Option<Duration>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        if let Some(idle) = idle
            && let Err(error) = close_idle(&cx, idle).await
        {
            tracing::warn!(%error, "failed to close idle conversations");
        }
        if let Err(error) = forget_reminders(&cx).await {
            tracing::warn!(%error, "failed to purge ended reminders");
        }
        if let Err(error) = forget_uses(&cx).await {
            tracing::warn!(%error, "failed to purge expired rate-limit records");
        }
        if let Err(error) = forget_what_is_over(&cx).await {
            tracing::warn!(%error, "failed to purge expired budget and webhook records");
        }
        if let Err(error) = delete_compacted(&cx).await {
            tracing::warn!(%error, "failed to delete compacted messages");
        }
        let files = &cx.services.files;
        if let Err(error) = files::sweep(&cx.db, files.storage(), cx.clock.now()).await {
            tracing::warn!(%error, "failed to purge contents of deleted files");
        }
    }
}

async fn close_idle(cx: &Context, idle: Duration) -> Result<(), StoreError> {
    let now = cx.clock.now();
    if closing::close_idle(&cx.db, now.before(idle), now).await? > 0 {
        cx.notify.jobs.notify_one();
    }
    Ok(())
}

async fn forget_reminders(cx: &Context) -> Result<(), StoreError> {
    let before = cx.clock.now().before(REMINDERS_KEPT);
    cx.db
        .write(move |tx| Box::pin(triggers::forget_ended(tx, before)))
        .await?;
    Ok(())
}

async fn forget_uses(cx: &Context) -> Result<(), StoreError> {
    let now = cx.clock.now();
    let made = policies::list(&mut cx.db.read().await?).await?;
    let rules = trial::rules(&cx.rules.policy, made).into_iter();
    let limits: Vec<_> = rules
        .filter(|named| named.rule.action == Action::Limit)
        .map(|named| (named.key, named.rule.per.length()))
        .collect();
    cx.db
        .write(move |tx| Box::pin(async move { policies::forget_uses(tx, &limits, now).await }))
        .await?;
    Ok(())
}

/// How budgets stood in months that are over, and signatures that are too old to be taken.
async fn forget_what_is_over(cx: &Context) -> Result<(), StoreError> {
    let now = cx.clock.now();
    let zone = budget::zone(&cx.rules.engine.time_zone);
    let month = Period::Month.window(now.before(BUDGETS_KEPT), &zone).key;
    let signed = now.before(SIGNATURES_KEPT);
    cx.db
        .write(move |tx| {
            Box::pin(async move {
                budgets::forget_before(tx, &month).await?;
                triggers::forget_signatures(tx, signed).await
            })
        })
        .await
}

/// Deletes compacted messages that were kept for long enough, a batch at a time, so that nobody waits for it.
async fn delete_compacted(cx: &Context) -> Result<(), StoreError> {
    let before = cx.clock.now().before(cx.settings.memory.retain_compacted);
    let kept = memory_write::kept(&mut cx.db.read().await?, before, COMPACTIONS).await?;
    for Kept {
        id,
        context_id,
        through,
    } in kept
    {
        loop {
            let now = cx.clock.now();
            let deleted = cx
                .db
                .write(move |tx| {
                    Box::pin(async move {
                        let deleted = memory_write::delete_compacted(tx, context_id, through, BATCH).await?;
                        memory_write::purged(tx, id, now).await?;
                        Ok(deleted)
                    })
                })
                .await?;
            if deleted == 0 {
                break;
            }
        }
    }
    Ok(())
}
