//! Deaths of processes, counted by the process that takes over their work.

use clifford_core::{
    clock::Timestamp,
    id::WorkerId,
    quarantine::{Evidence, Mark},
    runs::{RunStatus, WakeReason},
    work::Kind,
};
use clifford_store::{
    deaths,
    runs::{
        self, Lease,
        queue::{self as run_queue, Claimed},
    },
};

use super::world::{LEASE, NOW, World};

const fn evidence(deaths: i64, mark: Option<Mark>) -> Evidence {
    Evidence { deaths, mark }
}

/// Claims the only run so many leases after the beginning.
async fn claim(world: &World, leases: i32) -> Claimed {
    let at = Timestamp(NOW.0 + i64::from(leases) * 1000 * i64::try_from(LEASE.as_secs()).expect("seconds"));
    let claimed = world.claim_knowing(WorkerId::new(), at, 10).await;
    assert_eq!(claimed.len(), 1);
    claimed[0]
}

async fn mark(world: &World, lease: Lease, mark: Mark) -> bool {
    let marked = (world.db).write(move |tx| Box::pin(async move { run_queue::mark(tx, &lease, mark).await }));
    marked.await.expect("marks")
}

pub async fn who_takes_over_counts_a_death_and_how_the_run_was_worked_on(world: World) {
    world.insert(world.loose_run()).await.expect("inserts");
    let first = claim(&world, 0).await;
    assert_eq!(first.evidence, evidence(0, None));
    let second = claim(&world, 2).await;
    assert_eq!(second.evidence, evidence(1, None));
    assert!(!mark(&world, first.lease, Mark::Working).await, "it is another's");
    assert!(mark(&world, second.lease, Mark::Working).await);
    let third = claim(&world, 4).await;
    assert_eq!(third.evidence, evidence(2, Some(Mark::Died)));
    assert!(mark(&world, third.lease, Mark::Waiting).await);
    let fourth = claim(&world, 6).await;
    assert_eq!(fourth.evidence, evidence(3, Some(Mark::Waited)));
    // A death in line takes away nothing that is proof at any count, and a single death in isolation is none.
    let fifth = claim(&world, 8).await;
    assert_eq!(fifth.evidence, evidence(4, Some(Mark::Waited)));
    assert!(mark(&world, fifth.lease, Mark::WorkingAgain).await);
    assert_eq!(claim(&world, 10).await.evidence, evidence(5, Some(Mark::DiedAgain)));
    let seventh = claim(&world, 12).await;
    assert_eq!(seventh.evidence, evidence(6, Some(Mark::DiedAgain)));
    assert!(mark(&world, seventh.lease, Mark::Working).await);
    assert_eq!(claim(&world, 14).await.evidence, evidence(7, Some(Mark::Died)));
    assert_eq!(claim(&world, 16).await.evidence, evidence(8, None));
}

pub async fn a_run_that_begins_again_with_other_input_keeps_its_deaths(world: World) {
    world.insert(world.loose_run()).await.expect("inserts");
    claim(&world, 0).await;
    let second = claim(&world, 2).await;
    assert_eq!(second.evidence, evidence(1, None));
    let id = second.lease.run;
    let again = (world.db).write(move |tx| {
        Box::pin(async move { runs::begin_again(tx, id, "other words", WorkerId::new(), NOW, NOW).await })
    });
    assert!(again.await.expect("writes").is_some());
    assert_eq!(claim(&world, 4).await.evidence, evidence(2, None));
}

pub async fn whoever_claims_what_is_set_aside_is_told_until_it_ended(world: World) {
    world.insert(world.loose_run()).await.expect("inserts");
    let first = claim(&world, 0).await;
    assert!(!first.is_set_aside);
    let lease = first.lease;
    let set_aside = (world.db).write(move |tx| Box::pin(async move { run_queue::quarantine(tx, &lease, NOW).await }));
    assert!(set_aside.await.expect("writes"));
    let second = claim(&world, 2).await;
    assert!(second.is_set_aside);
    world
        .advance(second.lease, RunStatus::Completed)
        .await
        .expect("completes");
    // A run that did not fail is not listed for ever.
    let mut conn = world.db.read().await.expect("reads");
    assert_eq!(deaths::count_quarantined(&mut conn).await.expect("reads"), []);
}

pub async fn an_orderly_end_is_no_death_and_rest_sets_the_count_back(world: World) {
    world.insert(world.loose_run()).await.expect("inserts");
    claim(&world, 0).await;
    let second = claim(&world, 2).await;
    assert!(mark(&world, second.lease, Mark::Working).await);
    let owner = second.lease.owner;
    let released = (world.db).write(move |tx| Box::pin(run_queue::release_all(tx, Some(owner))));
    released.await.expect("gives back");
    let third = claim(&world, 2).await;
    assert_eq!(third.evidence, evidence(1, None));
    world.advance(third.lease, RunStatus::Waiting).await.expect("rests");
    let run = third.lease.run;
    let woken = (world.db).write(move |tx| Box::pin(clifford_store::runs::wake(tx, run, WakeReason::Time, NOW)));
    assert!(woken.await.expect("wakes"));
    assert_eq!(claim(&world, 2).await.evidence, evidence(0, None));
}

pub async fn where_one_process_has_the_database_its_start_counts(world: World) {
    let (_, held) = world.held(world.run()).await;
    let mut later = world.loose_run();
    later.not_before = Some(NOW.after(LEASE));
    later.lease = Some((held.owner, NOW.after(LEASE)));
    let waits = world.insert(later).await.expect("inserts");
    let counted = (world.db).write(move |tx| {
        Box::pin(async move {
            let counted = deaths::count_all(tx).await?;
            run_queue::release_all(tx, None).await?;
            Ok(counted)
        })
    });
    assert_eq!(counted.await.expect("counts"), 2);
    let mut claimed = world.claim_knowing(WorkerId::new(), NOW.after(LEASE), 10).await;
    claimed.sort_by_key(|claimed| claimed.lease.run == waits.id);
    let found: Vec<_> = claimed.iter().map(|claimed| claimed.evidence).collect();
    // A run that waited for more of its input was not worked on.
    assert_eq!(found, [evidence(1, None), evidence(0, None)]);
}

pub async fn what_is_set_aside_is_listed_until_it_is_tried_again(world: World) {
    let (run, lease) = world.held(world.run()).await;
    let set_aside = (world.db).write(move |tx| Box::pin(async move { run_queue::quarantine(tx, &lease, NOW).await }));
    assert!(set_aside.await.expect("writes"));
    let mut conn = world.db.read().await.expect("reads");
    let listed = deaths::quarantined(&mut conn, 10).await.expect("reads");
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].kind, listed[0].id.clone()), (Kind::Run, run.id.to_string()));
    assert_eq!(listed[0].quarantined_at, NOW);
    assert_eq!((listed[0].run_id, listed[0].error.as_deref()), (Some(run.id), None));
    assert_eq!(
        deaths::find(&mut conn, &listed[0].id).await.expect("reads"),
        Some(listed[0].clone())
    );
    for (beginning, expected) in [
        (&listed[0].id[..8], 1),
        (&listed[0].id, 1),
        (&listed[0].id[1..9], 0),
        ("%", 0),
    ] {
        let found = deaths::beginning_with(&mut conn, beginning, 10).await.expect("reads");
        assert_eq!(found.len(), expected, "{beginning}");
    }
    assert_eq!(
        deaths::count_quarantined(&mut conn).await.expect("reads"),
        [(Kind::Run, 1)]
    );
    drop(conn);
    let retried = (world.db).write(move |tx| Box::pin(async move { run_queue::retried(tx, lease.run).await }));
    retried.await.expect("writes");
    let mut conn = world.db.read().await.expect("reads");
    assert_eq!(deaths::count_quarantined(&mut conn).await.expect("reads"), []);
}
