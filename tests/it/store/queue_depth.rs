//! The queue depth is exact, and counts nothing that is not due.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::WorkerId,
    schedule::trigger::{Trigger, TriggerKind},
    work::JobKind,
};
use clifford_store::{
    jobs::{self, NewJob},
    leases::ClaimWindow,
    messages::queue_depth::{self, QueueDepth, QueueDepths},
    runs::NewRun,
    triggers,
};

use super::world::{LEASE, NOW, World};

fn later(seconds: u64) -> Timestamp {
    NOW.after(Duration::from_secs(seconds))
}

pub async fn what_waits_is_counted_with_the_age_of_the_oldest(world: World) {
    let look = async |now| {
        queue_depth::all(&mut world.db.read().await.expect("reads"), now)
            .await
            .expect("looks")
    };
    assert_eq!(look(later(0)).await, QueueDepths::default());

    let may_begin = |not_before| NewRun {
        not_before,
        ..world.loose_run()
    };
    for run in [may_begin(None), may_begin(Some(later(20))), may_begin(Some(later(500)))] {
        world.insert(run).await.expect("inserts");
    }
    let erasure = |due_at| NewJob {
        kind: JobKind::Erase,
        mode: None,
        context_id: None,
        user_id: Some(world.user.id),
        through: None,
        due_at,
    };
    let (due, not_due) = (erasure(later(10)), erasure(later(500)));
    let reminder = |at| Trigger {
        channel_id: Some(world.channel.id),
        user_id: Some(world.user.id),
        next_at: Some(at),
        ..Trigger::new(TriggerKind::Reminder, NOW)
    };
    let reminders = [reminder(later(30)), reminder(later(500))];
    let stored = world.db.write(move |tx| {
        Box::pin(async move {
            jobs::insert(tx, due, NOW).await?;
            jobs::insert(tx, not_due, NOW).await?;
            for reminder in &reminders {
                triggers::insert(tx, reminder, None).await?;
            }
            Ok(())
        })
    });
    stored.await.expect("stores");

    let since = |count, since| QueueDepth {
        count,
        since: Some(since),
    };
    let expected = QueueDepths {
        runs: since(2, NOW),
        jobs: since(1, later(10)),
        outbox: QueueDepth::default(),
        triggers: since(1, later(30)),
        approvals: 0,
    };
    assert_eq!(look(later(60)).await, expected);

    // A claimed run waits no more.
    world.claim(WorkerId::new(), later(0), 1).await;
    let claimed = world.db.write(move |tx| {
        let window = ClaimWindow::new(WorkerId::new(), later(60), LEASE);
        Box::pin(jobs::claim(tx, JobKind::Erase, window))
    });
    claimed.await.expect("claims").expect("a job");
    let expected = QueueDepths {
        runs: since(1, later(20)),
        jobs: QueueDepth::default(),
        ..expected
    };
    assert_eq!(look(later(60)).await, expected);
}
