//! Leases of another process, when clocks were put.

use std::time::Duration;

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::WorkerId,
    work::{JobKind, WriteMode},
};
use clifford_store::{
    jobs::{self, NewJob},
    leases::{
        self, ClaimWindow,
        skewed::{self as skewed_leases, SkewedLease},
    },
    runs::queue as run_queue,
};

use super::world::{LEASE, NOW, TREE, World};

/// The work that one look takes: runs, jobs, and the lease of a connection.
async fn takes(world: &World, look: ClaimWindow) -> (usize, usize, bool) {
    let taken = world.db.write(move |tx| {
        Box::pin(async move {
            let runs = run_queue::claim(tx, look, &[Platform::new("telegram")], 10, TREE).await?;
            let job = jobs::claim(tx, JobKind::MemoryWrite, look).await?;
            Ok((
                runs.len(),
                usize::from(job.is_some()),
                leases::hold(tx, "poll", look).await?,
            ))
        })
    });
    taken.await.expect("looks")
}

/// A run and a job to be done.
async fn with_work(world: &World) {
    world.insert(world.loose_run()).await.expect("inserts");
    let job = NewJob {
        kind: JobKind::MemoryWrite,
        mode: Some(WriteMode::Close),
        context_id: Some(world.context),
        user_id: None,
        through: None,
        due_at: NOW,
    };
    let made = world
        .db
        .write(move |tx| Box::pin(async move { jobs::insert(tx, job, NOW).await }));
    made.await.expect("inserts");
}

pub async fn where_the_time_does_not_tell_only_what_was_given_back_is_free(world: World) {
    with_work(&world).await;
    let (first, second) = (WorkerId::new(), WorkerId::new());
    assert_eq!(takes(&world, ClaimWindow::new(first, NOW, LEASE)).await, (1, 1, true));
    let tomorrow = ClaimWindow::new(second, NOW.after(Duration::from_secs(86_400)), LEASE);
    assert_eq!(takes(&world, tomorrow.patient()).await, (0, 0, false));
    let released = world
        .db
        .write(move |tx| Box::pin(run_queue::release_all(tx, Some(first))));
    released.await.expect("gives back");
    assert_eq!(takes(&world, tomorrow.patient()).await, (1, 1, true));
    // Work that was never held is free as well, and an expired lease is once the time tells.
    with_work(&world).await;
    assert_eq!(takes(&world, tomorrow.patient()).await, (1, 0, true));
    let next_day = ClaimWindow::new(first, tomorrow.now.after(Duration::from_secs(86_400)), LEASE);
    assert_eq!(takes(&world, next_day).await, (2, 1, true));
}

pub async fn what_is_held_until_too_late_a_time_is_found_and_given_back_unless_it_is_renewed(world: World) {
    with_work(&world).await;
    let (dead, alive, third) = (WorkerId::new(), WorkerId::new(), WorkerId::new());
    let before = NOW.after(Duration::from_secs(3600));
    assert_eq!(takes(&world, ClaimWindow::new(dead, before, LEASE)).await, (1, 1, true));
    world.insert(world.loose_run()).await.expect("inserts");
    assert_eq!(
        takes(&world, ClaimWindow::new(alive, before, LEASE)).await,
        (1, 0, false)
    );

    let beyond = NOW.after(Duration::from_secs(900));
    let find = async || {
        let mut found = skewed_leases::find(&mut world.db.read().await.expect("reads"), beyond)
            .await
            .expect("reads");
        found.sort_by_key(|skewed| (skewed.held.clone(), skewed.owner != dead));
        found
    };
    let skewed = |held: &str, owner| SkewedLease {
        held: held.to_owned(),
        owner,
        until: before.after(LEASE),
    };
    let found = find().await;
    assert_eq!(
        found,
        [
            skewed("jobs", dead),
            skewed("poll", dead),
            skewed("runs", dead),
            skewed("runs", alive)
        ]
    );
    let renewed = (world.db).write(move |tx| Box::pin(run_queue::heartbeat(tx, alive, NOW.after(LEASE))));
    renewed.await.expect("renews");
    for skewed in found {
        let given =
            (world.db).write(move |tx| Box::pin(async move { skewed_leases::release(tx, &skewed, beyond).await }));
        given.await.expect("gives back");
    }
    assert_eq!(find().await, []);
    assert_eq!(takes(&world, ClaimWindow::new(third, NOW, LEASE)).await, (1, 1, true));
    assert_eq!(
        takes(&world, ClaimWindow::new(third, Timestamp(NOW.0 + 1), LEASE)).await,
        (0, 0, true)
    );
}
