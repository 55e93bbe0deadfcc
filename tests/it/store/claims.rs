//! Leases: the worker that may work on a run, and the one that no longer may.

use std::collections::{BTreeMap, BTreeSet};

use clifford_core::{
    clock::Timestamp,
    id::{RunId, WorkerId},
    messages::MessageStatus,
    models::Role,
    run::step::{Event, LlmResponse, Step, StepKind, Used},
    runs::{CancelReason, RunStatus, WakeReason},
    work::{JobKind, WriteMode},
};
use clifford_engine::run::cancel;
use clifford_store::{
    StoreError,
    jobs::{self, JobLease, NewJob},
    leases::{self, ClaimWindow},
    runs::{self, Lease, RunClaim, queue as run_queue, steps, tree as run_tree},
    usage,
};

use super::{
    people::execute,
    world::{LEASE, NOW, TREE, World, end, to},
};

pub async fn two_workers_never_claim_the_same_run(world: World) {
    let mut made = Vec::new();
    for _ in 0..30 {
        made.push(world.insert(world.loose_run()).await.expect("inserts").id);
    }
    let claims = (0..6).map(|_| world.claim(WorkerId::new(), NOW, 10));
    let mut claimed: Vec<RunId> = futures::future::join_all(claims)
        .await
        .into_iter()
        .flatten()
        .map(|lease| lease.run)
        .collect();
    // A row that a worker skipped because another looked at it is left for its next look.
    loop {
        let more = world.claim(WorkerId::new(), NOW, 10).await;
        if more.is_empty() {
            break;
        }
        claimed.extend(more.into_iter().map(|lease| lease.run));
    }
    claimed.sort();
    assert_eq!(claimed, made);
}

fn lease_of(leases: &[Lease], run: RunId) -> Lease {
    let mut leases = leases.iter();
    *leases.find(|lease| lease.run == run).expect("it was claimed")
}

pub async fn of_one_tree_no_more_than_its_share_is_at_work_over_all_processes(world: World) {
    let (parent, _) = world.held(world.run()).await;
    let mut made = Vec::new();
    for _ in 0..7 {
        made.push(world.insert(world.child_of(&parent)).await.expect("inserts").id);
    }
    let other = world.insert(world.loose_run()).await.expect("inserts").id;
    let mut claimed = Vec::new();
    for _ in 0..3 {
        claimed.extend(world.claim(WorkerId::new(), NOW, 3).await);
    }
    let runs = |leases: &[Lease]| {
        let mut runs: Vec<_> = leases.iter().map(|lease| lease.run).collect();
        runs.sort();
        runs
    };
    let most = usize::try_from(TREE).expect("a number");
    assert_eq!(runs(&claimed), [&made[..most], &[other]].concat());
    // One that waits, for its own subagents, leaves its place as one that ended does.
    let (first, second) = (lease_of(&claimed, made[0]), lease_of(&claimed, made[1]));
    world.advance(first, RunStatus::Waiting).await.expect("waits");
    world.advance(second, RunStatus::Completed).await.expect("ends");
    let next = world.claim(WorkerId::new(), NOW, 10).await;
    assert_eq!(runs(&next), made[most..most + 2]);
    assert_eq!(world.claim(WorkerId::new(), NOW, 10).await, []);
}

pub async fn what_subagents_used_is_told_with_what_theirs_did(world: World) {
    let (parent, _) = world.held(world.run()).await;
    let (child, lease) = world.held(world.child_of(&parent)).await;
    let (alone, _) = world.held(world.child_of(&parent)).await;
    let grandchildren = [
        world.held(world.child_of(&child)).await,
        world.held(world.child_of(&child)).await,
    ];
    let works = |lease: Lease, tokens: u64, ms: u64| {
        let used = runs::Advance {
            prompt_tokens: tokens,
            completion_tokens: 1,
            cost: 0.5,
            worked_ms: ms,
            ..to(RunStatus::Running)
        };
        world
            .db
            .write(move |tx| Box::pin(async move { runs::advance(tx, &lease, &used, NOW).await }))
    };
    works(lease, 100, 10).await.expect("works");
    works(grandchildren[0].1, 20, 7).await.expect("works");
    works(grandchildren[1].1, 30, 5).await.expect("works");
    let used = run_tree::used_by_children(&mut world.db.read().await.expect("reads"), parent.id).await;
    let with_its_own = Used {
        tokens: 153,
        cost: 1.5,
        ms: 17,
    };
    let expected = BTreeMap::from([(child.id, with_its_own), (alone.id, Used::default())]);
    assert_eq!(used.expect("reads"), expected);
}

pub async fn the_steps_of_ended_subagents_are_read_together(world: World) {
    let (parent, _) = world.held(world.run()).await;
    let (ended, lease) = world.held(world.child_of(&parent)).await;
    let (corrupt, corrupted) = world.held(world.child_of(&parent)).await;
    let (at_work, working) = world.held(world.child_of(&parent)).await;
    for (run, lease) in [(ended.id, lease), (corrupt.id, corrupted), (at_work.id, working)] {
        let steps = [1, 2].map(|seq| Step {
            seq,
            at: NOW,
            kind: StepKind::Event(Event::Tainted {
                origins: BTreeSet::from([format!("page {seq}")]),
            }),
        });
        let appends = (world.db).write(move |tx| Box::pin(async move { steps::append(tx, run, &steps).await }));
        appends.await.expect("appends");
        if run != at_work.id {
            world.advance(lease, RunStatus::Completed).await.expect("ends");
        }
    }
    let sql = format!(
        "UPDATE run_steps SET type = 'nothing' WHERE seq = 2 AND run_id = '{}'",
        corrupt.id
    );
    execute(&world.db, sql).await;
    let found = steps::of_ended_children(&mut world.db.read().await.expect("reads"), parent.id).await;
    let found = found.expect("reads");
    assert_eq!(found.len(), 2, "{found:?}");
    let places = |run| {
        found[&run]
            .as_ref()
            .map(|steps| steps.iter().map(|step| step.seq).collect::<Vec<_>>())
    };
    assert_eq!(places(ended.id), Ok(vec![1, 2]));
    assert!(places(corrupt.id).is_err());
}

pub async fn a_run_whose_lease_ran_out_is_taken_over(world: World) {
    let (run, first) = world.held(world.run()).await;
    world.advance(first, RunStatus::Running).await.expect("goes on");
    let other = WorkerId::new();
    assert_eq!(world.claim(other, NOW.after(LEASE), 10).await, []);
    let late = runs::Lease {
        run: run.id,
        owner: other,
        epoch: first.epoch + 1,
    };
    assert_eq!(world.claim(other, NOW.after(LEASE * 2), 10).await, [late]);
    let refused = world.advance(first, RunStatus::Running).await;
    assert!(matches!(refused, Err(StoreError::LeaseLost(id)) if id == run.id));
    world.advance(late, RunStatus::Completed).await.expect("goes on");
}

pub async fn a_heartbeat_keeps_a_run(world: World) {
    let (_, lease) = world.held(world.run()).await;
    let until = NOW.after(LEASE * 3);
    world
        .db
        .write(move |tx| Box::pin(run_queue::heartbeat(tx, lease.owner, until)))
        .await
        .expect("beats");
    assert_eq!(world.claim(WorkerId::new(), NOW.after(LEASE * 2), 10).await, []);
}

pub async fn a_job_is_held_by_renewing_it_and_not_by_a_heartbeat(world: World) {
    let job = NewJob {
        kind: JobKind::MemoryWrite,
        mode: Some(WriteMode::Close),
        context_id: Some(world.context),
        user_id: None,
        through: None,
        due_at: NOW,
    };
    world
        .db
        .write(move |tx| Box::pin(async move { jobs::insert(tx, job, NOW).await }))
        .await
        .expect("inserts");
    let claim = |now: Timestamp| {
        world.db.write(move |tx| {
            let window = ClaimWindow::new(WorkerId::new(), now, LEASE);
            Box::pin(jobs::claim(tx, JobKind::MemoryWrite, window))
        })
    };
    let renew = |lease: JobLease, until: Timestamp| {
        world
            .db
            .write(move |tx| Box::pin(async move { jobs::renew(tx, &lease, until).await }))
    };
    let (_, first) = claim(NOW).await.expect("claims").expect("a job");
    assert!(renew(first, NOW.after(LEASE * 3)).await.expect("renews"));
    assert!(claim(NOW.after(LEASE * 2)).await.expect("looks").is_none());
    // Its worker lives, but has released it.
    world
        .db
        .write(move |tx| Box::pin(run_queue::heartbeat(tx, first.owner, NOW.after(LEASE * 9))))
        .await
        .expect("beats");
    let (_, second) = claim(NOW.after(LEASE * 4)).await.expect("claims").expect("a job");
    assert!(!renew(first, NOW.after(LEASE * 9)).await.expect("finds it gone"));
    assert!(renew(second, NOW.after(LEASE * 9)).await.expect("renews"));
}

pub async fn a_released_run_is_claimed_at_once(world: World) {
    let (run, lease) = world.held(world.run()).await;
    world.advance(lease, RunStatus::Running).await.expect("goes on");
    world
        .db
        .write(move |tx| Box::pin(run_queue::release_all(tx, Some(lease.owner))))
        .await
        .expect("releases");
    let claimed = world.claim(WorkerId::new(), NOW, 10).await;
    assert_eq!(claimed.iter().map(|lease| lease.run).collect::<Vec<_>>(), [run.id]);
}

pub async fn a_run_that_may_not_begin_yet_is_not_claimed(world: World) {
    let mut later = world.run();
    later.not_before = Some(NOW.after(LEASE));
    world.insert(later).await.expect("inserts");
    assert_eq!(world.claim(WorkerId::new(), NOW, 10).await, []);
    assert_eq!(world.claim(WorkerId::new(), NOW.after(LEASE), 10).await.len(), 1);
}

pub async fn a_lost_lease_writes_nothing(world: World) {
    let (run, lease) = world.held(world.run()).await;
    let stale = runs::Lease {
        epoch: lease.epoch - 1,
        ..lease
    };
    let message = world.message("7", MessageStatus::History);
    let refused = world
        .db
        .write(move |tx| {
            Box::pin(async move {
                clifford_store::messages::insert_inbound(tx, &message, NOW).await?;
                end(tx, stale, RunStatus::Running).await?;
                steps::append(tx, stale.run, &[step(1)]).await?;
                let call = usage::Call {
                    run: Some(stale.run),
                    seq: Some(1),
                    user: None,
                    channel: None,
                    role: Role::Executor,
                };
                usage::insert(tx, call, &LlmResponse::default(), NOW).await
            })
        })
        .await;
    assert!(matches!(refused, Err(StoreError::LeaseLost(_))));
    let mut conn = world.db.read().await.expect("reads");
    assert_eq!(steps::of_run(&mut conn, run.id).await.expect("reads"), []);
    let stored = clifford_store::messages::by_platform_id(&mut conn, world.channel.id, "7").await;
    assert_eq!(stored.expect("reads"), None);
}

pub async fn an_ended_run_takes_no_more_steps(world: World) {
    let (run, lease) = world.held(world.run()).await;
    world.advance(lease, RunStatus::Completed).await.expect("ends");
    for status in [RunStatus::Running, RunStatus::Failed] {
        assert!(matches!(
            world.advance(lease, status).await,
            Err(StoreError::LeaseLost(_))
        ));
    }
    assert_eq!(world.get(run.id).await.status, RunStatus::Completed);
}

pub async fn a_cancelled_run_is_its_workers_no_more(world: World) {
    let (parent, lease) = world.held(world.run()).await;
    let (child, _) = world.held(world.child_of(&parent)).await;
    let grandchild = world.insert(world.child_of(&child)).await.expect("inserts");
    let id = parent.id;
    let mut cancelled = world
        .db
        .write(move |tx| Box::pin(cancel::tree(tx, id, CancelReason::Cancelled, NOW)))
        .await
        .expect("cancels");
    cancelled.sort();
    let claim = |run, epoch| RunClaim { run, epoch };
    let mut expected = vec![claim(parent.id, 1), claim(child.id, 1), claim(grandchild.id, 0)];
    expected.sort();
    assert_eq!(cancelled, expected);
    for run in [parent.id, child.id, grandchild.id] {
        assert_eq!(world.get(run).await.status, RunStatus::Cancelled);
    }
    assert!(matches!(
        world.advance(lease, RunStatus::Running).await,
        Err(StoreError::LeaseLost(_))
    ));
}

pub async fn a_context_has_one_coordinator_at_work(world: World) {
    let (first, lease) = world.held(world.run()).await;
    assert!(matches!(world.insert(world.run()).await, Err(StoreError::Conflict(_))));
    world.insert(world.child_of(&first)).await.expect("a subagent is none");
    world.advance(lease, RunStatus::Completed).await.expect("ends");
    world.insert(world.run()).await.expect("the next one");
}

pub async fn a_waiting_coordinator_blocks_nobody(world: World) {
    let (_, lease) = world.held(world.run()).await;
    world.advance(lease, RunStatus::Waiting).await.expect("waits");
    world.insert(world.run()).await.expect("another one");
}

pub async fn a_run_is_not_woken_while_its_context_is_busy(world: World) {
    let (sleeper, lease) = world.held(world.run()).await;
    world.advance(lease, RunStatus::Waiting).await.expect("waits");
    let (_, other) = world.held(world.run()).await;
    let wake = || {
        let id = sleeper.id;
        world
            .db
            .write(move |tx| Box::pin(runs::wake(tx, id, WakeReason::Time, NOW)))
    };
    assert!(!wake().await.expect("looks"));
    world.advance(other, RunStatus::Completed).await.expect("ends");
    assert!(wake().await.expect("wakes"));
    assert!(!wake().await.expect("it does not wait any more"));
}

pub async fn a_lease_by_name_is_held_by_one(world: World) {
    let (a, b) = (WorkerId::new(), WorkerId::new());
    let hold = |owner, now: clifford_core::clock::Timestamp| {
        world
            .db
            .write(move |tx| Box::pin(leases::hold(tx, "poll", ClaimWindow::new(owner, now, LEASE))))
    };
    assert!(hold(a, NOW).await.expect("holds"));
    assert!(!hold(b, NOW).await.expect("looks"));
    assert!(hold(a, NOW.after(LEASE)).await.expect("renews"));
    assert!(!hold(b, NOW.after(LEASE + LEASE / 2)).await.expect("looks"));
    world
        .db
        .write(move |tx| Box::pin(leases::release(tx, "poll", a)))
        .await
        .expect("gives back");
    assert!(hold(b, NOW.after(LEASE)).await.expect("holds"));
}

pub async fn leases_of_a_kind_are_counted_until_they_run_out(world: World) {
    let hold = |name: &'static str, now: clifford_core::clock::Timestamp| {
        let owner = WorkerId::new();
        world
            .db
            .write(move |tx| Box::pin(leases::hold(tx, name, ClaimWindow::new(owner, now, LEASE))))
    };
    let count = async |now: clifford_core::clock::Timestamp| {
        let look = ClaimWindow::new(WorkerId::new(), now, LEASE);
        let counted = world
            .db
            .write(move |tx| Box::pin(leases::count(tx, "present:discord:", look)));
        counted.await.expect("counts")
    };
    let until = async |name| {
        leases::until(&mut world.db.read().await.expect("reads"), name)
            .await
            .expect("reads")
    };
    for name in ["present:discord:a", "present:telegram:b"] {
        assert!(hold(name, NOW).await.expect("holds"));
    }
    let later = NOW.after(LEASE / 2);
    assert!(hold("present:discord:c", later).await.expect("holds"));
    assert_eq!(count(later).await, 2);
    assert_eq!(until("present:discord:c").await, Some(later.after(LEASE)));
    assert_eq!(count(NOW.after(LEASE + LEASE / 4)).await, 1);
    assert_eq!(until("present:discord:a").await, None);
}

pub async fn a_claim_that_nobody_knows_of_is_found_and_given_back(world: World) {
    let (run, lease) = world.held(world.loose_run()).await;
    let (ended, of_ended) = world.held(world.loose_run()).await;
    world.advance(of_ended, RunStatus::Completed).await.expect("ends");
    let held = async |worker| {
        run_queue::held(&mut world.db.read().await.expect("reads"), worker)
            .await
            .expect("reads")
    };
    assert_eq!(held(lease.owner).await, [lease]);
    assert_eq!(held(of_ended.owner).await, [], "{}", ended.id);
    let release = async |lease: Lease| {
        let given = world
            .db
            .write(move |tx| Box::pin(async move { run_queue::release(tx, &lease).await }));
        given.await.expect("gives back");
        world.claim(WorkerId::new(), NOW, 10).await
    };
    // An earlier claim of the same worker is not this one.
    let earlier = Lease {
        epoch: lease.epoch - 1,
        ..lease
    };
    assert_eq!(release(earlier).await, []);
    let claimed = release(lease).await;
    assert_eq!(
        claimed.iter().map(|lease| (lease.run, lease.epoch)).collect::<Vec<_>>(),
        [(run.id, lease.epoch + 1)]
    );
}

fn step(seq: u32) -> Step {
    Step {
        seq,
        at: NOW,
        kind: StepKind::Event(Event::Wake {
            reason: "time".into(),
            said: Vec::new(),
            through: None,
        }),
    }
}

pub async fn a_worker_takes_nothing_over_from_itself(world: World) {
    let worker = WorkerId::new();
    world.insert(world.loose_run()).await.expect("inserts");
    let claimed = world.claim(worker, NOW, 10).await;
    assert_eq!(claimed.len(), 1);
    // Its machine slept, and nothing renewed its leases.
    let morning = NOW.after(LEASE * 1000);
    assert_eq!(world.claim(worker, morning, 10).await, []);
    let taken = world.claim(WorkerId::new(), morning, 10).await;
    assert_eq!(
        taken.iter().map(|lease| lease.run).collect::<Vec<_>>(),
        [claimed[0].run]
    );
}
