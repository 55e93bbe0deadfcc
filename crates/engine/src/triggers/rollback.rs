//! Recurring triggers and all that waits after the clock was stepped back. A clock that ran ahead for a moment has
//! planned them for a time that may be years away.

use std::time::Duration;

use clifford_core::{clock::Timestamp, schedule::due as schedule};
use clifford_store::{StoreError, db::notify, leases::waits, triggers};
use tokio::time::Instant;

use crate::Context;

/// A step that is shorter does no harm.
const SHORTEST: Duration = Duration::from_secs(60);
/// How many triggers are looked up at once.
const BATCH: u32 = 200;

/// Knows by the monotonic clock whether the wall clock was stepped back since the last look.
#[derive(Debug, Default)]
pub struct Rollback(Option<(Timestamp, Instant)>);

impl Rollback {
    /// Whether it was. The first look says so, too: it may have happened while nobody was here.
    pub fn seen(&mut self, wall: Timestamp, at: Instant) -> bool {
        let before = self.0.replace((wall, at));
        before.is_none_or(|(then, since)| wall.after(SHORTEST) < then.after(at.duration_since(since)))
    }
}

/// Plans the recurring triggers anew that were last planned at a time that is yet to come, and returns how many. What they
/// fired for is recorded, and is not fired for a second time.
pub async fn plan_anew(cx: &Context) -> Result<usize, StoreError> {
    let now = cx.clock.now();
    let (mut count, mut last) = (0, None);
    loop {
        let ahead = triggers::planned_ahead(&mut cx.db.read().await?, now.after(SHORTEST), last, BATCH).await?;
        let Some(newest) = ahead.last() else { break };
        last = Some(newest.id);
        for trigger in ahead {
            let Some(due) = trigger.due() else { continue };
            let plan = schedule::plan(&trigger, now, now, cx.settings.triggers.grace);
            let Some(next) = plan.next.filter(|next| *next < due.at) else {
                continue;
            };
            let moved = cx.db.write(move |tx| {
                Box::pin(async move {
                    let moved = triggers::bring_forward(tx, due, next, now).await?;
                    notify::work(tx).await?;
                    Ok(moved)
                })
            });
            if moved.await? {
                count += 1;
                tracing::warn!(trigger_id = %trigger.id, %next, "wall clock stepped back, planning a trigger anew");
            }
        }
    }
    if count > 0 {
        cx.notify.runs.notify_one();
    }
    Ok(count)
}

/// Lets runs and jobs wait from now on that began to wait at a time that is yet to come.
pub async fn shorten_waits(cx: &Context) -> Result<(), StoreError> {
    let now = cx.clock.now();
    let shorten = cx.db.write(move |tx| {
        Box::pin(async move {
            let shortened = waits::shorten(tx, now.after(SHORTEST), now).await?;
            if shortened != waits::Shortened::default() {
                notify::work(tx).await?;
            }
            Ok(shortened)
        })
    });
    let waits::Shortened { runs, jobs } = shorten.await?;
    if runs + jobs > 0 {
        tracing::warn!(runs, jobs, "wall clock stepped back, counting waits from now");
        cx.notify.runs.notify_one();
        cx.notify.jobs.notify_one();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_back_is_told_from_a_step_forward_and_from_time_that_passes() {
        let (start, begin) = (Timestamp(1_767_225_600_000), Instant::now());
        let seconds = Duration::from_secs;
        let mut rollback = Rollback::default();
        for (wall, passed, expected) in [
            (start, 0, true),
            (start.after(seconds(30)), 30, false),
            (start.after(seconds(86_400)), 60, false),
            (start.after(seconds(86_430)), 90, false),
            (start.after(seconds(86_400)), 120, false),
            (start.after(seconds(82_800)), 150, true),
            (start.after(seconds(82_830)), 180, false),
        ] {
            assert_eq!(rollback.seen(wall, begin + seconds(passed)), expected, "{passed}");
        }
    }
}
