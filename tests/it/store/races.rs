//! Statements at the same moment.

use clifford_chat::platform::Platform;
use clifford_core::{
    id::{MemoryItemId, UserId, WorkerId},
    memory::rows::{Change, Item},
    messages::MessageStatus,
    people::UserRole,
    runs::{CancelReason, Run, RunStatus, WakeOn},
};
use clifford_engine::run::follow_up::{Begins, follow_up_in, wake_parent};
use clifford_store::{
    StoreError, Tx, contexts,
    memory::write::{self as memory_write, Words},
    messages::{self, NewInbound},
    people::users,
    places::channels,
    runs::{self, Advance, Lease, NewRun},
};
use futures::future::join_all;

use super::world::{LEASE, NOW, World, end, place, speaker, to};

pub async fn twenty_at_once_make_one_person_one_channel_and_one_context(world: World) {
    let made = join_all((0..20).map(|_| {
        world.db.write(|tx| {
            Box::pin(async move {
                let user = users::find_or_create(tx, Platform::new("telegram"), &speaker("new"), UserRole::Member, NOW)
                    .await?;
                let channel = channels::find_or_create(tx, &place("new"), Some((user.id, "1")), NOW).await?;
                let context = match channel.active_context_id {
                    Some(context) => context,
                    None => contexts::begin(tx, &channel, None, NOW).await?,
                };
                Ok((user.id, channel.id, context))
            })
        })
    }))
    .await;
    let mut made: Vec<_> = made.into_iter().map(|made| made.expect("makes")).collect();
    made.dedup();
    assert_eq!(made.len(), 1);
}

/// A parent that waits for two subagents, each at work.
async fn family(world: &World) -> (Run, [(Run, Lease); 2]) {
    let (parent, lease) = world.held(world.run()).await;
    let children = [
        world.held(world.child_of(&parent)).await,
        world.held(world.child_of(&parent)).await,
    ];
    let waits = Advance {
        wake_on: Some(WakeOn::All),
        ..to(RunStatus::Waiting)
    };
    world
        .db
        .write(move |tx| Box::pin(async move { runs::advance(tx, &lease, &waits, NOW).await }))
        .await
        .expect("waits");
    (parent, children)
}

async fn child_ends(tx: &mut Tx, run: Run, lease: Lease) -> Result<bool, StoreError> {
    if let Some(context) = run.context_id {
        contexts::lock(tx, context).await?;
    }
    end(tx, lease, RunStatus::Completed).await?;
    wake_parent(tx, &run, NOW).await
}

pub async fn two_subagents_that_end_at_once_wake_their_parent_once(world: World) {
    for _ in 0..25 {
        let (parent, children) = family(&world).await;
        let woken = join_all(
            children
                .into_iter()
                .map(|(run, lease)| world.db.write(move |tx| Box::pin(child_ends(tx, run, lease)))),
        )
        .await;
        let woken: Vec<_> = woken.into_iter().map(|woken| woken.expect("ends")).collect();
        assert_eq!(woken.iter().filter(|woken| **woken).count(), 1);
        assert_eq!(world.get(parent.id).await.status, RunStatus::Pending);
        let id = parent.id;
        world
            .db
            .write(move |tx| Box::pin(runs::cancel(tx, id, CancelReason::Cancelled, NOW)))
            .await
            .expect("cancels");
    }
}

pub async fn a_parent_whose_context_is_busy_is_woken_later(world: World) {
    let (parent, children) = family(&world).await;
    let (_, other) = world.held(world.run()).await;
    for (run, lease) in children {
        let woken = world.db.write(move |tx| Box::pin(child_ends(tx, run, lease))).await;
        assert!(!woken.expect("ends"));
    }
    let wake_due = || clifford_engine::scheduler::wake::wake_due(&world.db, std::time::Duration::ZERO, 3, NOW);
    assert_eq!(world.get(parent.id).await.status, RunStatus::Waiting);
    wake_due().await.expect("looks");
    assert_eq!(world.get(parent.id).await.status, RunStatus::Waiting);
    world.advance(other, RunStatus::Completed).await.expect("ends");
    wake_due().await.expect("wakes");
    assert_eq!(world.get(parent.id).await.status, RunStatus::Pending);
}

/// Takes a message in as ingress does: behind the run at work, or with a run of its own.
async fn arrive(tx: &mut Tx, world: World, mut message: NewInbound) -> Result<Option<Lease>, StoreError> {
    channels::find_or_create(tx, &place("1"), None, NOW).await?;
    contexts::touch(tx, world.context, NOW).await?;
    if !runs::active_in(tx, world.context).await?.is_empty() {
        messages::insert_inbound(tx, &message, NOW).await?;
        return Ok(None);
    }
    let owner = WorkerId::new();
    let run = NewRun {
        lease: Some((owner, NOW.after(LEASE))),
        ..world.run()
    };
    let run = runs::insert(tx, &run, NOW).await?;
    message.run_id = Some(run.id);
    message.status = MessageStatus::Received;
    messages::insert_inbound(tx, &message, NOW).await?;
    Ok(Some(Lease {
        run: run.id,
        owner,
        epoch: run.epoch,
    }))
}

/// Ends a run as its last commit does, and returns the one that follows it.
async fn depart(tx: &mut Tx, context: clifford_core::id::ContextId, lease: Lease) -> Result<Option<Lease>, StoreError> {
    contexts::count_turn(tx, context, "name").await?;
    end(tx, lease, RunStatus::Completed).await?;
    let run = runs::get(tx, lease.run)
        .await?
        .ok_or_else(|| StoreError::NotFound("run".into()))?;
    let begins = Begins {
        worker: lease.owner,
        lease_for: LEASE,
        parallel: 3,
    };
    let followed = follow_up_in(tx, context, run.agent_id, begins, NOW).await?;
    Ok(followed.map(|(_, lease)| lease))
}

pub async fn no_message_is_left_behind_when_a_run_ends_as_it_arrives(world: World) {
    let context = world.context;
    let mut held: Option<Lease> = None;
    for round in 0..200 {
        let message = world.message(&format!("round {round}"), MessageStatus::Queued);
        let here = world.clone();
        let arrives = world.db.write(move |tx| Box::pin(arrive(tx, here, message)));
        let departs = async {
            match held {
                Some(lease) => world.db.write(move |tx| Box::pin(depart(tx, context, lease))).await,
                None => Ok(None),
            }
        };
        // Which of the two comes first is the race; each order leaves exactly one run that holds the message.
        let (began, followed) = tokio::join!(arrives, departs);
        let (began, followed) = (began.expect("arrives"), followed.expect("ends"));
        assert!(
            began.is_some() != followed.is_some(),
            "round {round}: {began:?} {followed:?}"
        );
        held = began.or(followed);
        let queued = world
            .db
            .write(move |tx| Box::pin(messages::queued(tx, context)))
            .await
            .expect("reads");
        assert_eq!(queued, [], "round {round}");
    }
}

/// Reads a person's items and writes them back, each with one letter more.
async fn grow(tx: &mut Tx, user: UserId) -> Result<(), StoreError> {
    memory_write::lock(tx, user).await?;
    let mut items = memory_write::items(tx, user).await?;
    let changes: Vec<_> = match items.pop() {
        Some(item) => vec![Change::Update(Item {
            value: format!("{}x", item.value),
            ..item
        })],
        None => vec![Change::Add(Item {
            id: MemoryItemId::new(),
            module: "identity".into(),
            key: "name".into(),
            value: "x".into(),
            level: 0,
            confidence: 0.9,
            origin_space: None,
            shareable: false,
            pinned: false,
            created_at: NOW,
            last_seen_at: NOW,
        })],
    };
    memory_write::change(tx, user, None, None, Words::Own, &changes).await
}

pub async fn what_is_remembered_of_a_person_is_written_by_one_at_a_time(world: World) {
    let user = world.user.id;
    let grown = join_all((0..20).map(|_| world.db.write(move |tx| Box::pin(grow(tx, user))))).await;
    assert!(grown.iter().all(Result::is_ok), "{grown:?}");
    let items = memory_write::items(&mut world.db.read().await.expect("reads"), user).await;
    let values: Vec<_> = items.expect("reads").into_iter().map(|item| item.value).collect();
    assert_eq!(values, ["x".repeat(20)]);
}
