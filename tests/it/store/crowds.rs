//! Many that come due and have to wait hold up nobody who does not.

use std::time::Duration;

use clifford_core::{
    runs::{RunStatus, WakeReason},
    schedule::trigger::{Trigger, TriggerKind},
};
use clifford_engine::scheduler::wake;
use clifford_store::runs::{self, Advance};

use super::{
    triggers::{add, look, reminder, said},
    world::{NOW, World, to},
};

/// More than are looked up at once.
const CROWD: usize = 201;

pub async fn a_reminder_is_said_though_many_triggers_wait_for_their_conversation(world: World) {
    world.held(world.run()).await;
    for _ in 0..CROWD {
        let waiting = Trigger {
            kind: TriggerKind::Run,
            context_id: Some(world.context),
            ..reminder(&world, NOW)
        };
        add(&world.db, &waiting).await;
    }
    let later = NOW.after(Duration::from_secs(1));
    add(&world.db, &reminder(&world, later)).await;
    assert_eq!(look(&world, later).await, 1);
    assert_eq!(said(&world.db).await.len(), 1);
}

pub async fn a_sleeper_is_woken_though_many_wait_for_their_conversation(world: World) {
    let sleeps = async |run: runs::NewRun, at| {
        let (run, lease) = world.held(run).await;
        let asleep = Advance {
            wake_at: Some(at),
            wake_reason: Some(WakeReason::Sleep),
            ..to(RunStatus::Waiting)
        };
        let written = world
            .db
            .write(move |tx| Box::pin(async move { runs::advance(tx, &lease, &asleep, NOW).await }));
        written.await.expect("sleeps");
        run.id
    };
    for _ in 0..CROWD {
        sleeps(world.run(), NOW).await;
    }
    let later = NOW.after(Duration::from_secs(1));
    let alone = sleeps(world.loose_run(), later).await;
    world.held(world.run()).await;
    let woken = wake::wake_due(&world.db, Duration::ZERO, 3, later).await;
    assert_eq!(woken.expect("looks"), 1);
    assert_eq!(world.get(alone).await.status, RunStatus::Pending);
}
