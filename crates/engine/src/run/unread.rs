//! Ends a run that cannot be read, or whose steps cannot be replayed, as failed: its person gets a message, and the
//! queue behind it goes on. This path never reads its steps.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use clifford_core::{
    id::{AgentId, ContextId},
    run::{
        endings,
        sentences::{self, Sentence},
        state::RunState,
        step::EndingKind,
    },
};
use clifford_store::{
    StoreError, Tx, messages,
    runs::{Lease, queue as run_queue, steps, tree as run_tree},
};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::{
    Starter, follow_up,
    session::{Gone, Session},
};
use crate::{Context, work::Work};

/// How long to wait when the database is away.
const RETRY: Duration = Duration::from_secs(1);

/// Whether trying again cannot help: it is a row that nobody can read.
pub(crate) const fn is_unreadable(error: &StoreError) -> bool {
    matches!(error, StoreError::NotFound(_) | StoreError::Corrupt(_))
}

/// Ends a held run of which only this is known: why it cannot go on. If the database is away, waits until it is back.
pub(crate) async fn end(
    cx: &Arc<Context>,
    starter: &dyn Starter,
    lease: Lease,
    why: &str,
    cancelled: &CancellationToken,
) {
    tracing::error!(run_id = %lease.run, "failed to read a run, ending it");
    end_with(cx, starter, lease, &sentences::ERROR, why, cancelled).await;
}

/// The same with this sentence for its person.
pub(crate) async fn end_with(
    cx: &Arc<Context>,
    starter: &dyn Starter,
    lease: Lease,
    sentence: &Sentence,
    why: &str,
    cancelled: &CancellationToken,
) {
    while !cancelled.is_cancelled() {
        let failed = Box::pin(fail(cx, starter, lease, sentence, why, cancelled));
        let failed = AssertUnwindSafe(failed).catch_unwind().await;
        let ended = match failed.unwrap_or(Err(Gone::Panicked)) {
            Err(Gone::Panicked | Gone::Store(StoreError::Corrupt(_))) => {
                fail_unread(cx, starter, lease, why).await.map_err(Gone::from)
            }
            other => other,
        };
        match ended {
            // It was deleted, or is another worker's.
            Ok(()) | Err(Gone::Lost | Gone::Cancelled | Gone::Store(StoreError::NotFound(_))) => return,
            Err(Gone::Store(
                StoreError::Unavailable(reason) | StoreError::Refused(reason) | StoreError::Damaged(reason),
            )) => {
                tracing::warn!(run_id = %lease.run, reason, "run waits for the database");
            }
            Err(error) => {
                tracing::error!(run_id = %lease.run, "failed to end a run, `clifford db check` looks for damage");
                tracing::debug!(run_id = %lease.run, ?error, "failed to end a run (details)");
                return;
            }
        }
        tokio::select! {
            () = cancelled.cancelled() => {}
            () = tokio::time::sleep(RETRY) => {}
        }
    }
}

/// Ends it as any run ends that fails, behind the steps that are there.
async fn fail(
    cx: &Arc<Context>,
    starter: &dyn Starter,
    lease: Lease,
    sentence: &Sentence,
    why: &str,
    cancelled: &CancellationToken,
) -> Result<(), Gone> {
    let mut conn = cx.db.read().await?;
    let work = Work::without_steps(&mut conn, lease).await?;
    let rules = cx.settings.rules.of(work.user.as_ref()).of_run(&work.run);
    let mut state = RunState::new(&work.run, &rules);
    state.next_seq = steps::last(&mut conn, lease.run).await? + 1;
    state.sent = (messages::said_by(&mut conn, lease.run).await?.into_iter())
        .map(|message| message.content)
        .collect();
    state.lang = work.lang(&mut conn).await?;
    state.has_trigger = true;
    state.children = run_tree::unended_children(&mut conn, lease.run)
        .await?
        .into_iter()
        .collect();
    drop(conn);
    let mut session = Session::with(cx, starter, work, rules, state, cancelled);
    let decision = endings::give_up(&session.state, EndingKind::Error, sentence, why);
    session.carry_out(decision).await?;
    Ok(())
}

/// Ends it where not even its row can be read: then nobody knows whom to tell.
async fn fail_unread(cx: &Arc<Context>, starter: &dyn Starter, lease: Lease, why: &str) -> Result<(), StoreError> {
    let (now, begins) = (cx.clock.now(), cx.begins());
    let why = why.to_owned();
    let follow_up = cx.db.write(move |tx| {
        Box::pin(async move {
            run_queue::fail(tx, &lease, &why, now).await?;
            let Some((context, agent)) = place(tx, lease).await? else {
                return Ok(None);
            };
            follow_up::follow_up_in(tx, context, agent, begins, now).await
        })
    });
    if let Some((_, lease)) = follow_up.await? {
        starter.start(lease);
    }
    Ok(())
}

/// The conversation that it stood in, as far as that can be read.
async fn place(tx: &mut Tx, lease: Lease) -> Result<Option<(ContextId, AgentId)>, StoreError> {
    match run_queue::place(tx, lease.run).await {
        Err(StoreError::Corrupt(_)) => Ok(None),
        other => other,
    }
}
