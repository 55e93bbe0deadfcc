//! One short loop: take the unapplied reply or think, decide, carry out, append steps and outbox rows in one
//! fenced commit, apply.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::{
    Engine,
    decide::{self, Next},
    endings, sentences,
    session::{Gone, Onward, Session},
    state::Pending,
    step::EndingKind,
    unread,
    work::Work,
};
use crate::{
    store::runs::Lease,
    telemetry::{measures, spans},
};

/// How long to wait when the database is away, before going on.
const BACKOFF: Duration = Duration::from_millis(500);
/// The longest of these waits.
const LONGEST_BACKOFF: Duration = Duration::from_secs(10);

/// How a worker leaves a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It waits or ended, and whom it concerns was told.
    AtRest,
    /// It is not this worker's any more.
    LetGo,
}

/// Works on a held run until it waits, ends, or is not ours any more. A run whose database went away goes on
/// when it is back; a panic ends its run, and nothing else.
pub async fn drive(engine: &Arc<Engine>, work: Work, cancelled: &CancellationToken) -> Rest {
    let span = spans::run(&work);
    Box::pin(drive_within(engine, work, cancelled).instrument(span)).await
}

async fn drive_within(engine: &Arc<Engine>, work: Work, cancelled: &CancellationToken) -> Rest {
    let lease = work.lease;
    let mut next = Some(work);
    let mut backoff = BACKOFF;
    while !cancelled.is_cancelled() {
        let work = match next.take() {
            Some(work) => Ok(work),
            None => engine.load(lease).await,
        };
        let outcome = match work {
            // Claimed anew while this worker waited for the database.
            Ok(work) if work.run.epoch != lease.epoch => {
                measures::lease_lost();
                return Rest::LetGo;
            }
            Ok(work) => AssertUnwindSafe(Box::pin(attempt(engine, work, cancelled)))
                .catch_unwind()
                .await
                .unwrap_or(Err(Gone::Panicked)),
            Err(error) => Err(Gone::Store(error)),
        };
        match outcome {
            Ok(rest) => return rest,
            Err(Gone::Lost) => {
                measures::lease_lost();
                return Rest::LetGo;
            }
            Err(Gone::Cancelled) => return Rest::LetGo,
            Err(Gone::Panicked) => {
                fail_after_panic(engine, lease, cancelled).await;
                return Rest::LetGo;
            }
            Err(Gone::Store(error)) if unread::is_unreadable(&error) => {
                unread::end(engine, lease, &error.to_string(), cancelled).await;
                return Rest::LetGo;
            }
            Err(Gone::Store(error)) => {
                tracing::warn!(%error, "the run waits for the database");
                tokio::time::sleep(backoff).await;
                backoff = (backoff * 2).min(LONGEST_BACKOFF);
            }
        }
    }
    Rest::LetGo
}

async fn attempt(engine: &Arc<Engine>, work: Work, cancelled: &CancellationToken) -> Result<Rest, Gone> {
    let mut session = Session::open(engine, work, cancelled);
    let mut iteration = None;
    loop {
        if cancelled.is_cancelled() {
            return Err(Gone::Cancelled);
        }
        let begins = match &session.state.pending {
            // It came to rest by a commit whose answer was lost: nobody was told.
            Pending::Nothing => return Ok(Rest::LetGo),
            // What was asked before a crash or a sleep belongs to the iteration that asked.
            pending => matches!(pending, Pending::Think) || iteration.is_none(),
        };
        if begins {
            iteration = Some(spans::iteration(session.run(), session.state.iterations + 1));
        }
        engine.wait_for_suspects(session.lease()).await;
        let span = iteration.clone().unwrap_or_else(Span::none);
        if turn(engine, &mut session).instrument(span).await?.is_at_rest() {
            return Ok(Rest::AtRest);
        }
    }
}

/// Does what is next.
async fn turn(engine: &Arc<Engine>, session: &mut Session<'_>) -> Result<Onward, Gone> {
    match session.state.pending.clone() {
        Pending::Nothing => Ok(Onward::AtRest),
        Pending::Wait => {
            session.woken().await?;
            Ok(Onward::GoesOn)
        }
        Pending::Call(call) => session.call(call).await,
        Pending::Confirm(asked) => session.unanswered(&asked).await,
        Pending::Approved(call) => {
            let decision = session.approved(call).await?;
            session.carry_out(decision).await?;
            Ok(Onward::GoesOn)
        }
        Pending::Denied(asked) => session.denied(&asked).await,
        Pending::Apply(reply) => {
            let (decision, enclosed) = match session.enclosed(&reply).await? {
                Ok(enclosed) => {
                    session.know_names(&reply).await?;
                    let now = engine.clock.now();
                    (decide::decide(&session.state, &session.rules, &reply, now), enclosed)
                }
                Err(refused) => (refused, Vec::new()),
            };
            let decision = session.judged(decision).await?;
            session.carry_out_with(decision, enclosed).await
        }
        Pending::Think => match decide::next(&session.state, &session.rules) {
            Next::Think(before) => {
                measures::iteration();
                session.take_in().await?;
                session.think(before).await?;
                Ok(Onward::GoesOn)
            }
            Next::End(decision) => {
                session.end(decision).await?;
                Ok(Onward::AtRest)
            }
        },
    }
}

/// Ends a run whose task panicked. What panicked may be the reading of its steps, which is not done a second time where
/// that would end this task.
async fn fail_after_panic(engine: &Arc<Engine>, lease: Lease, cancelled: &CancellationToken) {
    const WHY: &str = "an internal error (panic)";
    measures::panicked();
    tracing::error!("the run's task panicked");
    let failed = async {
        let Some(work) = engine.load_patiently(lease).await? else {
            return Err(Gone::Cancelled);
        };
        let mut session = Session::open(engine, work, cancelled);
        let decision = endings::give_up(&session.state, EndingKind::Error, sentences::ERROR, WHY);
        session.carry_out(decision).await
    };
    let failed = AssertUnwindSafe(failed).catch_unwind().await;
    match failed.unwrap_or(Err(Gone::Panicked)) {
        Ok(_) | Err(Gone::Lost | Gone::Cancelled) => {}
        Err(Gone::Panicked | Gone::Store(_)) => unread::end(engine, lease, WHY, cancelled).await,
    }
}
