//! Maintenance jobs: one process at a time does each, and its row says how it went.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::WorkerId,
    work::{JobKind, MaintenanceKind},
};
use clifford_store::{
    Db, deaths,
    jobs::{self, NewJob},
    leases::{ClaimWindow, skewed},
    maintenance::{self, Claimed, MaintenanceLease, Record},
    runs::queue as run_queue,
};

use super::{
    erasure::script,
    world::{Home, LEASE, NOW},
};

const JOB: MaintenanceKind = MaintenanceKind::Retention;

async fn homes() -> impl Iterator<Item = Home> {
    [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
}

fn after(seconds: u64) -> Timestamp {
    NOW.after(Duration::from_secs(seconds))
}

async fn register(db: &Db, due_at: Timestamp) {
    db.write(move |tx| Box::pin(async move { maintenance::register(tx, JOB, due_at).await }))
        .await
        .expect("registers");
}

async fn claim(db: &Db, worker: WorkerId, now: Timestamp) -> Option<Claimed> {
    let window = ClaimWindow::new(worker, now, LEASE);
    db.write(move |tx| Box::pin(maintenance::claim(tx, JOB, window)))
        .await
        .expect("claims")
}

async fn claimed(db: &Db, worker: WorkerId, now: Timestamp) -> Claimed {
    claim(db, worker, now).await.expect("it is due and free")
}

async fn succeeded(db: &Db, lease: MaintenanceLease, due_at: Timestamp, now: Timestamp) -> bool {
    db.write(move |tx| Box::pin(async move { maintenance::succeeded(tx, &lease, due_at, now).await }))
        .await
        .expect("records")
}

async fn failed(db: &Db, lease: MaintenanceLease, due_at: Timestamp, now: Timestamp) -> bool {
    db.write(move |tx| Box::pin(async move { maintenance::failed(tx, &lease, "no room", due_at, now).await }))
        .await
        .expect("records")
}

async fn record(db: &Db) -> Record {
    let mut all = maintenance::all(&mut db.read().await.expect("reads"))
        .await
        .expect("reads");
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_one_does_a_job_and_the_next_waits_until_it_is_due_again() {
    for home in homes().await {
        let db = &home.db;
        let (one, other) = (WorkerId::new(), WorkerId::new());
        register(db, after(5)).await;
        assert_eq!(claim(db, one, after(4)).await, None, "it is not due yet");
        let (first, second) = tokio::join!(claim(db, one, after(5)), claim(db, other, after(5)));
        let lease = match (first, second) {
            (Some(claimed), None) | (None, Some(claimed)) => claimed.lease,
            both => panic!("{both:?}"),
        };
        // At the end of an hour of renewals it is still the same process's.
        let renewed = db
            .write(move |tx| Box::pin(async move { maintenance::renew(tx, &lease, after(3600)).await }))
            .await;
        assert!(renewed.expect("renews"));
        assert_eq!(claim(db, WorkerId::new(), after(3599)).await, None);

        assert!(succeeded(db, lease, after(3900), after(3600)).await);
        assert!(!succeeded(db, lease, after(9000), after(3601)).await, "it ended");
        assert_eq!(claim(db, other, after(3899)).await, None);
        let expected = Record {
            name: "retention".to_owned(),
            due_at: after(3900),
            lease_owner: None,
            lease_until: None,
            epoch: 1,
            runs: 1,
            failures: 0,
            failures_in_a_row: 0,
            last_began_at: Some(after(5)),
            last_ended_at: Some(after(3600)),
            last_succeeded_at: Some(after(3600)),
            last_failed_at: None,
            last_error: None,
        };
        assert_eq!(record(db).await, expected);
        let again = claimed(db, other, after(3900)).await;
        assert_eq!((again.lease.epoch, again.deaths, again.failures_in_a_row), (2, 0, 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_process_s_job_is_taken_over_after_its_lease_with_the_death_counted() {
    for home in homes().await {
        let db = &home.db;
        let (dead, heir) = (WorkerId::new(), WorkerId::new());
        register(db, NOW).await;
        let lost = claimed(db, dead, NOW).await.lease;
        let until = NOW.after(LEASE);
        assert_eq!(claim(db, heir, until).await, None, "its lease is not over");
        let taken = claimed(db, heir, until.after(Duration::from_millis(1))).await;
        assert_eq!((taken.lease.epoch, taken.deaths), (2, 1));
        assert!(!succeeded(db, lost, after(999), after(40)).await, "it is the heir's");
        let renewed = db
            .write(move |tx| Box::pin(async move { maintenance::renew(tx, &lost, after(999)).await }))
            .await;
        assert!(!renewed.expect("asks"));
        assert!(succeeded(db, taken.lease, after(40), after(35)).await);
        assert_eq!(claimed(db, heir, after(40)).await.deaths, 0, "it ended since");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_recorded_and_counted_until_the_next_success() {
    for home in homes().await {
        let db = &home.db;
        let worker = WorkerId::new();
        register(db, NOW).await;
        for before in 0..2 {
            let claimed = claimed(db, worker, after(10 * before)).await;
            assert_eq!(claimed.failures_in_a_row, i64::try_from(before).expect("a number"));
            assert!(failed(db, claimed.lease, after(10 * (before + 1)), after(10 * before)).await);
        }
        let failing = record(db).await;
        assert_eq!((failing.runs, failing.failures, failing.failures_in_a_row), (2, 2, 2));
        assert_eq!(failing.last_failed_at, Some(after(10)));
        assert_eq!(failing.last_error.as_deref(), Some("no room"));
        assert!(failing.is_failing());
        assert_eq!(claim(db, worker, after(19)).await, None, "it waits");

        let lease = claimed(db, worker, after(20)).await.lease;
        assert!(succeeded(db, lease, after(300), after(21)).await);
        let mended = record(db).await;
        assert_eq!((mended.runs, mended.failures, mended.failures_in_a_row), (3, 2, 0));
        assert_eq!(mended.last_error.as_deref(), Some("no room"), "it stays as history");
        assert!(!mended.is_failing());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_released_job_is_due_at_once_and_nobody_died() {
    for home in homes().await {
        let db = &home.db;
        let worker = WorkerId::new();
        register(db, NOW).await;
        let lease = claimed(db, worker, NOW).await.lease;
        db.write(move |tx| Box::pin(async move { maintenance::release(tx, &lease).await }))
            .await
            .expect("releases");
        assert_eq!(claimed(db, WorkerId::new(), NOW).await.deaths, 0);
        // A process that ends gives back everything; one that has the database to itself counts a death on all of it.
        db.write(|tx| Box::pin(run_queue::release_all(tx, None)))
            .await
            .expect("releases");
        assert_eq!(claimed(db, worker, NOW).await.deaths, 0);
        let counted = db
            .write(|tx| {
                Box::pin(async move {
                    let counted = deaths::count_all(tx).await?;
                    run_queue::release_all(tx, None).await?;
                    Ok(counted)
                })
            })
            .await;
        assert_eq!(counted.expect("counts"), 1);
        assert_eq!(claimed(db, worker, NOW).await.deaths, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shorter_interval_applies_at_once_and_a_longer_one_after_the_next_time() {
    for home in homes().await {
        let db = &home.db;
        for (registered, due_at) in [(300, 300), (60, 60), (600, 60)] {
            register(db, after(registered)).await;
            assert_eq!(record(db).await.due_at, after(due_at));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_a_clock_put_back_holds_is_found_and_released() {
    for home in homes().await {
        let db = &home.db;
        let dead = WorkerId::new();
        register(db, NOW).await;
        claimed(db, dead, after(86_400)).await;
        let found = skewed::find(&mut db.read().await.expect("reads"), after(900))
            .await
            .expect("finds");
        let [stray] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((stray.held.as_str(), stray.owner), ("maintenance_jobs", dead));
        let stray = stray.clone();
        db.write(move |tx| Box::pin(async move { skewed::release(tx, &stray, after(900)).await }))
            .await
            .expect("releases");
        assert_eq!(claimed(db, WorkerId::new(), NOW).await.deaths, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_an_unknown_kind_waits_for_a_version_that_knows_it_and_holds_nothing_up() {
    for home in homes().await {
        let db = &home.db;
        let new = NewJob {
            kind: JobKind::MemoryWrite,
            mode: None,
            context_id: None,
            user_id: None,
            through: None,
            due_at: NOW,
        };
        let insert = move || db.write(move |tx| Box::pin(jobs::insert(tx, new, NOW)));
        let unknown = insert().await.expect("inserts").expect("a job");
        script(db, "UPDATE jobs SET kind = 'of_the_future'").await;
        let window = ClaimWindow::new(WorkerId::new(), after(1), LEASE);
        let next = async || {
            jobs::next_due(&mut db.read().await.expect("reads"), JobKind::MemoryWrite, window)
                .await
                .expect("looks")
        };
        assert_eq!(next().await, None);
        let known = insert().await.expect("inserts").expect("a job");
        assert_eq!(next().await, Some(NOW));
        let claim = || db.write(move |tx| Box::pin(jobs::claim(tx, JobKind::MemoryWrite, window)));
        let (job, _) = claim().await.expect("claims").expect("the known one");
        assert_eq!(job.id, known);
        assert_eq!(claim().await.expect("claims"), None);
        let one = db.write(move |tx| Box::pin(jobs::claim_one(tx, unknown, window))).await;
        assert_eq!(one.expect("claims"), None);
        let mut conn = db.read().await.expect("reads");
        assert_eq!(jobs::get(&mut conn, unknown).await.expect("reads"), None);
        let page = jobs::page(&mut conn, &jobs::Filter::default(), 10)
            .await
            .expect("reads");
        assert_eq!(page.into_iter().map(|job| job.id).collect::<Vec<_>>(), [known]);
    }
}
