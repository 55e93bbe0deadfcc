//! One short loop: take the unapplied reply or think, decide, carry out, append steps and outbox rows in one
//! fenced commit, apply.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use clifford_core::run::{
    decide::{self, Next},
    endings, sentences,
    state::Pending,
    step::EndingKind,
};
use clifford_store::runs::Lease;
use clifford_telemetry::{measures, spans};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::{
    Starter,
    session::{Gone, Onward, Session},
    unpaid::Unpaid,
    unread,
};
use crate::{Context, work::Work};

/// How long to wait when the database is away, before going on.
const BACKOFF: Duration = Duration::from_millis(500);
/// The longest of these waits.
const LONGEST_BACKOFF: Duration = Duration::from_secs(10);

/// How a worker leaves a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It waits or ended, and those concerned were notified.
    Parked,
    /// It is not this worker's any more.
    Released,
}

/// Works on a held run until it waits, ends, or is not ours any more. A run whose database went away goes on
/// when it is back; a panic ends its run, and nothing else.
pub async fn drive(cx: &Arc<Context>, starter: &dyn Starter, work: Work, cancelled: &CancellationToken) -> Exit {
    let platform = work.channel.as_ref().map(|channel| channel.platform.as_str());
    let span = spans::run(&work.run, platform, &work.agent.name);
    Box::pin(drive_within(cx, starter, work, cancelled).instrument(span)).await
}

async fn drive_within(cx: &Arc<Context>, starter: &dyn Starter, work: Work, cancelled: &CancellationToken) -> Exit {
    let lease = work.lease;
    let mut next = Some(work);
    let mut backoff = BACKOFF;
    let mut unpaid = Unpaid::default();
    while !cancelled.is_cancelled() {
        let work = match next.take() {
            Some(work) => Ok(work),
            None => cx.load(lease).await,
        };
        if let Ok(work) = &work {
            std::mem::take(&mut unpaid).but_for(&work.steps).charge(cx).await;
        }
        let outcome = match work {
            // Claimed again while this worker waited for the database.
            Ok(work) if work.run.epoch != lease.epoch => {
                measures::lease_lost();
                return Exit::Released;
            }
            Ok(work) => caught(Box::pin(attempt(cx, starter, work, cancelled, &mut unpaid))).await,
            Err(error) => Err(Gone::Store(error)),
        };
        // Of what the database did not answer it is known later whether it was written.
        if !matches!(outcome, Err(Gone::Store(_))) {
            std::mem::take(&mut unpaid).charge(cx).await;
        }
        match outcome {
            Ok(rest) => return rest,
            Err(Gone::Lost) => {
                measures::lease_lost();
                return Exit::Released;
            }
            Err(Gone::Cancelled) => return Exit::Released,
            Err(Gone::Reworded) => {}
            Err(Gone::Panicked) => {
                Box::pin(fail_after_panic(cx, starter, lease, cancelled)).await;
                return Exit::Released;
            }
            Err(Gone::Store(error)) if unread::is_unreadable(&error) => {
                unread::end(cx, starter, lease, &error.to_string(), cancelled).await;
                return Exit::Released;
            }
            Err(Gone::Store(error)) => {
                tracing::warn!(run_id = %lease.run, %error, "run waits for the database");
                tokio::time::sleep(backoff).await;
                backoff = (backoff * 2).min(LONGEST_BACKOFF);
            }
        }
    }
    // It was stopped while it waited for the database.
    if !unpaid.is_empty()
        && let Ok(work) = cx.load(lease).await
    {
        unpaid.but_for(&work.steps).charge(cx).await;
    }
    Exit::Released
}

/// A panic is the end of its run.
async fn caught(work: impl Future<Output = Result<Exit, Gone>>) -> Result<Exit, Gone> {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.unwrap_or(Err(Gone::Panicked))
}

async fn attempt(
    cx: &Arc<Context>,
    starter: &dyn Starter,
    work: Work,
    cancelled: &CancellationToken,
    unpaid: &mut Unpaid,
) -> Result<Exit, Gone> {
    let mut session = Session::open(cx, starter, work, cancelled);
    let done = caught(Box::pin(take_turns(cx, &mut session, cancelled))).await;
    if done.is_err() {
        *unpaid = session.unpaid();
    }
    done
}

async fn take_turns(cx: &Arc<Context>, session: &mut Session<'_>, cancelled: &CancellationToken) -> Result<Exit, Gone> {
    let mut iteration = None;
    loop {
        if cancelled.is_cancelled() {
            return Err(Gone::Cancelled);
        }
        let begins = match &session.state.pending {
            // It came to rest by a commit whose answer was lost: no notice was sent.
            Pending::Nothing => return Ok(Exit::Released),
            // A reply requested before a crash or a sleep belongs to that iteration.
            pending => matches!(pending, Pending::Think) || iteration.is_none(),
        };
        if begins {
            iteration = Some(spans::iteration(session.run(), session.state.iterations + 1));
        }
        cx.wait_for_suspects(session.lease()).await;
        let span = iteration.clone().unwrap_or_else(Span::none);
        if turn(session).instrument(span).await?.is_parked() {
            return Ok(Exit::Parked);
        }
    }
}

/// Does what is next.
async fn turn(session: &mut Session<'_>) -> Result<Onward, Gone> {
    match session.state.pending.clone() {
        Pending::Nothing => Ok(Onward::Parked),
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
        Pending::Queued(call) => {
            let decision = match session.state.is_approved(&call) {
                true => session.approved(call).await?,
                false => {
                    let decision = decide::queued(&session.state, &session.rules, &call);
                    session.judged(decision).await?
                }
            };
            session.carry_out(decision).await
        }
        Pending::Apply(reply) => {
            let (decision, files) = session.decide(&reply).await?;
            let decision = session.judged(decision).await?;
            let attachments = session.add_speech(&decision, files).await?;
            session.carry_out_with(decision, attachments).await
        }
        Pending::Think => match decide::next(&session.state, &session.rules) {
            Next::Think(before) => {
                if session.take_note_of_files().await? {
                    return Ok(Onward::GoesOn);
                }
                measures::iteration();
                session.take_in().await?;
                session.think(before).await?;
                Ok(Onward::GoesOn)
            }
            Next::End(decision) => {
                session.end(decision).await?;
                Ok(Onward::Parked)
            }
        },
    }
}

/// Ends a run whose task panicked. The panic may come from reading its steps, so they are not read a second time where
/// that would end this task.
async fn fail_after_panic(cx: &Arc<Context>, starter: &dyn Starter, lease: Lease, cancelled: &CancellationToken) {
    const WHY: &str = "an internal error (panic)";
    measures::panicked();
    tracing::error!(run_id = %lease.run, "run task panicked");
    let failed = async {
        let Some(work) = cx.load_patiently(lease).await? else {
            return Err(Gone::Cancelled);
        };
        let mut session = Session::open(cx, starter, work, cancelled);
        let decision = endings::give_up(&session.state, EndingKind::Error, &sentences::ERROR, WHY);
        session.carry_out(decision).await
    };
    let failed = AssertUnwindSafe(failed).catch_unwind().await;
    match failed.unwrap_or(Err(Gone::Panicked)) {
        Ok(_) | Err(Gone::Lost | Gone::Cancelled | Gone::Reworded) => {}
        Err(Gone::Panicked | Gone::Store(_)) => unread::end(cx, starter, lease, WHY, cancelled).await,
    }
}
