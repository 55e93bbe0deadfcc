//! Cancelling: a run and its whole tree, in all workers. Their later writes are refused.

use clifford_core::{
    clock::Timestamp,
    id::{RunId, WorkerId},
    runs::{CancelReason, Run},
};
use clifford_delivery::outbound::Outbound;
use clifford_store::{
    Db, StoreError, Tx, contexts,
    db::notify,
    messages::{self, NewOutbound},
    runs::{self, Lease, RunClaim, tree as run_tree},
    triggers,
};
use clifford_text::{Approval, Outcome};

use super::{
    follow_up::{Begins, follow_up_in, wake_parent},
    settling,
};
use crate::work::Work;

/// The consequences of cancelling a run.
#[derive(Clone, Debug)]
pub struct Cancelled {
    /// Each run that was cancelled, with the claim that held it.
    pub runs: Vec<RunClaim>,
    /// The run for what had arrived meanwhile, leased to the worker that was named.
    pub follow_up: Option<Lease>,
}

/// Cancels a run and everything it created. Returns each run that was cancelled with the claim that held it;
/// none if the run had ended.
pub async fn tree(tx: &mut Tx, root: RunId, reason: CancelReason, now: Timestamp) -> Result<Vec<RunClaim>, StoreError> {
    let mut cancelled = Vec::new();
    let mut left = vec![root];
    while let Some(id) = left.pop() {
        left.extend(run_tree::children(tx, id).await?.into_iter().map(|child| child.id));
        if let Some(run) = runs::cancel(tx, id, reason, now).await? {
            settling::settle(tx, id, |lang| lang.say(asks_no_more(reason)), now).await?;
            triggers::remove_wake(tx, id).await?;
            // The row holds the claim that cancelling made: the worker's is the one before.
            cancelled.push(RunClaim::before(&run));
            if id == root && wake_parent(tx, &run, now).await? {
                notify::work(tx).await?;
            }
        }
    }
    Ok(cancelled)
}

/// Why a run that was cancelled asks no more.
const fn asks_no_more(reason: CancelReason) -> Approval {
    match reason {
        CancelReason::Edited => Approval::QuestionEdited,
        CancelReason::Interrupted => Approval::Interrupted,
        CancelReason::ParentEnded => Approval::NotNeeded,
        CancelReason::Cancelled | CancelReason::Stopped | CancelReason::PersonErased => Approval::Stopped,
    }
}

/// Cancels a run with its tree, tells its chat, and begins a run for what had arrived there meanwhile.
///
/// # Errors
/// [`StoreError::WrongState`]: it has ended.
pub async fn commit(
    tx: &mut Tx,
    run: &Run,
    message: Option<&NewOutbound>,
    begins: Begins,
    now: Timestamp,
) -> Result<Cancelled, StoreError> {
    if let Some(context) = run.context_id {
        contexts::lock(tx, context).await?;
    }
    let cancelled = tree(tx, run.id, CancelReason::Cancelled, now).await?;
    if cancelled.is_empty() {
        return Err(StoreError::WrongState(format!("run {} has ended already", run.id)));
    }
    if let Some(message) = message {
        messages::insert_outbound(tx, message, now).await?;
    }
    let follow_up = match run.context_id.filter(|_| run.parent_run_id.is_none()) {
        Some(context) => follow_up_in(tx, context, run.agent_id, begins, now).await?,
        None => None,
    };
    notify::work(tx).await?;
    Ok(Cancelled {
        runs: cancelled,
        follow_up: follow_up.map(|(_, lease)| lease),
    })
}

/// Cancels a run from a process that works on none. Its worker is refused at its next commit; the consequences are left
/// to the next claim.
///
/// # Errors
/// [`StoreError::WrongState`]: it has ended. [`StoreError::NotFound`]: there is none.
pub async fn from_outside(db: &Db, id: RunId, now: Timestamp) -> Result<Run, StoreError> {
    let lease = Lease {
        run: id,
        owner: WorkerId::new(),
        epoch: 0,
    };
    let mut conn = db.read().await?;
    let work = Work::without_steps(&mut conn, lease).await?;
    let notice = work.lang(&mut conn).await?.say(Outcome::Cancelled);
    drop(conn);
    let outbound = Outbound::without_platforms();
    let message = work
        .reply_to()
        .filter(|_| work.run.parent_run_id.is_none())
        .map(|to| outbound.message(to, &notice, now).0);
    db.write(move |tx| {
        Box::pin(async move {
            commit(tx, &work.run, message.as_ref(), Begins::by_anybody(1), now).await?;
            runs::get(tx, id)
                .await?
                .ok_or_else(|| StoreError::NotFound(format!("run {id}")))
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use clifford_text::Lang;

    use super::*;

    #[test]
    fn a_question_says_why_its_run_was_cancelled() {
        let said = |reason| Lang::English.say(asks_no_more(reason));
        let why = said(CancelReason::Interrupted);
        assert!(why.ends_with("a newer message took its place."), "{why}");
        let distinct: std::collections::BTreeSet<_> = CancelReason::ALL.iter().copied().map(said).collect();
        assert_eq!(distinct.len(), 4, "{distinct:?}");
    }
}
