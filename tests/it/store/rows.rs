//! Rows that are kept: steps, messages in and out, texts.

use std::time::Duration;

use clifford_action::{Category, Importance, OutputMode};
use clifford_chat::{
    outbound::{Address, Part},
    platform::Platform,
};
use clifford_core::{
    id::{MessageId, WorkerId},
    messages::MessageStatus,
    policy::Reason,
    run::step::{Event, Step, StepKind, ToolCall, ToolOutcome, ToolResult},
};
use clifford_store::{
    Db, StoreError,
    leases::ClaimWindow,
    messages::{
        self, NewOutbound,
        outbox::{self, Delivered},
    },
    people::users,
    runs::{feedback, steps},
};
use serde_json::json;

use super::world::{LEASE, NOW, World, speaker};

fn numbered(kinds: Vec<StepKind>) -> Vec<Step> {
    (1..)
        .zip(kinds)
        .map(|(seq, kind)| Step { seq, at: NOW, kind })
        .collect()
}

async fn append(world: &World, steps: Vec<Step>) -> Result<Vec<Step>, StoreError> {
    let run = world.insert(world.loose_run()).await?.id;
    world
        .db
        .write(move |tx| Box::pin(async move { steps::append(tx, run, &steps).await }))
        .await?;
    steps::of_run(&mut world.db.read().await?, run).await
}

pub async fn steps_come_back_as_they_were(world: World) {
    let args = json!({"text": "a\u{0}b", "n": 1})
        .as_object()
        .cloned()
        .unwrap_or_default();
    let written = numbered(vec![
        StepKind::ToolCall(ToolCall {
            name: "memory.get".into(),
            args,
            idempotency_key: "k".into(),
        }),
        StepKind::ToolResult(ToolResult {
            name: "memory.get".into(),
            outcome: ToolOutcome::Failure {
                error: "no".into(),
                retries: 2,
                expose: true,
                refused: Some(Box::new(Reason::Destroys)),
            },
            origins: ["https://example.org".to_owned()].into(),
            duration_ms: 7,
            spent: clifford_core::run::step::Spent {
                tokens: 5,
                written: 2,
                cost: 0.25,
            },
            undo: None,
            readers: None,
        }),
        StepKind::AssistantMessage {
            text: "hi".into(),
            sent: false,
        },
        StepKind::OutputUpdate {
            output: "x".into(),
            mode: OutputMode::Append,
        },
        StepKind::Decision {
            content: "d".into(),
            importance: Importance::High,
        },
        StepKind::Note {
            category: Category::Plan,
            content: "p".into(),
            plan: vec![clifford_action::Announced {
                command: "mail.send".into(),
                at_most: 2,
            }],
        },
        StepKind::Event(Event::Wake {
            reason: "time".into(),
            said: Vec::new(),
            through: None,
        }),
    ]);
    assert_eq!(append(&world, written.clone()).await.expect("stores"), written);
}

pub async fn more_steps_than_one_statement_takes_are_stored(world: World) {
    let note = |index: u32| StepKind::Note {
        category: Category::Artifact,
        content: index.to_string(),
        plan: vec![],
    };
    let written = numbered((0..6_000).map(note).collect());
    assert_eq!(append(&world, written.clone()).await.expect("stores"), written);
}

pub async fn a_step_number_is_taken_once(world: World) {
    let wake = || {
        StepKind::Event(Event::Wake {
            reason: "time".into(),
            said: Vec::new(),
            through: None,
        })
    };
    let mut twice = numbered(vec![wake(), wake()]);
    twice[1].seq = 1;
    assert!(matches!(append(&world, twice).await, Err(StoreError::Conflict(_))));
}

pub async fn an_inbound_message_is_stored_once(world: World) {
    assert!(world.store(world.message("1", MessageStatus::Queued)).await);
    assert!(!world.store(world.message("1", MessageStatus::Queued)).await);
    let by_key = || messages::NewInbound {
        platform_message_id: None,
        idempotency_key: Some("key".into()),
        ..world.message("", MessageStatus::Queued)
    };
    assert!(world.store(by_key()).await);
    assert!(!world.store(by_key()).await);
}

pub async fn queued_messages_come_in_the_order_of_their_writing(world: World) {
    // By the platform's clock first, then by its ids as numbers, whatever came in first.
    for (id, seconds) in [("10", 5), ("9", 5), ("8", 7), ("11", 1)] {
        world
            .store(messages::NewInbound {
                sent_at: NOW.after(Duration::from_secs(seconds)),
                ..world.message(id, MessageStatus::Queued)
            })
            .await;
    }
    world.store(world.message("7", MessageStatus::History)).await;
    let context = world.context;
    let queued = world
        .db
        .write(move |tx| Box::pin(messages::queued(tx, context)))
        .await
        .expect("reads");
    let texts: Vec<_> = queued.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(texts, ["message 11", "message 9", "message 10", "message 8"]);
}

/// A message of two parts that nobody holds.
async fn outgoing(world: &World) -> MessageId {
    let id = MessageId::new();
    let part = |text: &str| Part::Text {
        text: text.into(),
        plain: text.into(),
        rich: None,
        buttons: Vec::new(),
    };
    let message = NewOutbound {
        attachments: None,
        metadata: None,
        edits: None,
        id,
        channel_id: world.channel.id,
        context_id: Some(world.context),
        user_id: Some(world.user.id),
        run_id: None,
        content: "one two".into(),
        address: Address {
            place: "1".into(),
            private: true,
            reply_to: None,
            via: None,
        },
        parts: vec![("k1".into(), part("one")), ("k2".into(), part("two"))],
        lease: None,
        marks_first: false,
    };
    world
        .db
        .write(move |tx| Box::pin(async move { messages::insert_outbound(tx, &message, NOW).await }))
        .await
        .expect("stores");
    id
}

async fn claim(db: &Db, now: clifford_core::clock::Timestamp) -> Vec<MessageId> {
    claim_by(db, WorkerId::new(), now).await
}

async fn claim_by(db: &Db, worker: WorkerId, now: clifford_core::clock::Timestamp) -> Vec<MessageId> {
    db.write(move |tx| {
        let look = ClaimWindow::new(worker, now, LEASE);
        Box::pin(async move { outbox::claim(tx, look, &[Platform::new("telegram")], 10).await })
    })
    .await
    .expect("claims")
    .into_iter()
    .map(|(message, _)| message.id)
    .collect()
}

async fn held_by(world: &World, worker: WorkerId) -> Vec<MessageId> {
    let mut held = outbox::held(&mut world.db.read().await.expect("reads"), worker)
        .await
        .expect("reads");
    held.sort();
    held
}

async fn parts(world: &World, message: MessageId) -> Vec<(i64, MessageStatus)> {
    outbox::parts(&mut world.db.read().await.expect("reads"), message)
        .await
        .expect("reads")
        .into_iter()
        .map(|part| (part.seq, part.status))
        .collect()
}

async fn status(world: &World, message: MessageId) -> MessageStatus {
    messages::get(&mut world.db.read().await.expect("reads"), message)
        .await
        .expect("reads")
        .expect("a message")
        .status
}

pub async fn only_what_is_being_sent_now_is_on_its_way_to_a_place(world: World) {
    let (id, worker) = (outgoing(&world).await, WorkerId::new());
    let is_under_way = async || {
        let mut conn = world.db.read().await.expect("reads");
        let (platform, place) = (Platform::new("telegram"), &world.channel.external_id);
        feedback::is_under_way(&mut conn, platform, place).await.expect("reads")
    };
    assert_eq!(claim_by(&world.db, worker, NOW).await, [id]);
    assert!(!is_under_way().await);
    let sending = (world.db).write(move |tx| Box::pin(outbox::part_sending(tx, id, 0, worker)));
    sending.await.expect("writes");
    assert!(is_under_way().await);
    // A message that is tried again for days is not.
    let set_aside =
        (world.db).write(move |tx| Box::pin(async move { outbox::set_aside(tx, id, worker, "too slow", NOW).await }));
    set_aside.await.expect("writes");
    assert!(!is_under_way().await);
}

pub async fn outgoing_messages_are_claimed_by_one_worker_and_delivered_part_by_part(world: World) {
    let id = outgoing(&world).await;
    let later = outgoing(&world).await;
    let claims = futures::future::join_all((0..4).map(|_| claim(&world.db, NOW))).await;
    assert_eq!(claims.concat().iter().filter(|claimed| **claimed == id).count(), 1);
    assert_eq!(claim(&world.db, NOW).await, []);
    let (late, worker) = (WorkerId::new(), WorkerId::new());
    let taken_over = claim_by(&world.db, worker, NOW.after(LEASE * 2)).await;
    assert!(taken_over.contains(&id), "its worker is gone");

    let deliver = |worker, seq, is_last| {
        let part = Delivered {
            message: id,
            seq,
            is_last,
            platform_id: Some("p"),
            worker,
        };
        world
            .db
            .write(move |tx| Box::pin(outbox::part_delivered(tx, part, NOW)))
    };
    // One that woke up too late tells nothing of what is another's.
    deliver(late, 0, false).await.expect("writes nothing");
    deliver(late, 1, true).await.expect("writes nothing");
    let is_sending = world
        .db
        .write(move |tx| Box::pin(outbox::part_sending(tx, id, 0, late)));
    is_sending.await.expect("writes nothing");
    let elsewhere = world.db.write(move |tx| {
        Box::pin(async move {
            let address = Address {
                place: "2".into(),
                private: true,
                reply_to: None,
                via: None,
            };
            outbox::readdress(tx, id, late, &address).await
        })
    });
    elsewhere.await.expect("writes nothing");
    assert_eq!(
        parts(&world, id).await,
        [(0, MessageStatus::Pending), (1, MessageStatus::Pending)]
    );
    assert_eq!(status(&world, id).await, MessageStatus::Pending);
    assert_eq!(held_by(&world, worker).await, taken_over);

    deliver(worker, 0, false).await.expect("marks");
    assert_eq!(parts(&world, id).await, [(1, MessageStatus::Sending)]);
    assert_eq!(status(&world, id).await, MessageStatus::Sending);
    let channel = world.channel.id;
    let mut conn = world.db.read().await.expect("reads");
    assert!(outbox::has_older(&mut conn, channel, later).await.expect("reads"));
    drop(conn);
    deliver(worker, 1, true).await.expect("marks");
    assert_eq!(parts(&world, id).await, []);
    assert_eq!(status(&world, id).await, MessageStatus::Delivered);
    let mut conn = world.db.read().await.expect("reads");
    assert!(!outbox::has_older(&mut conn, channel, later).await.expect("reads"));
}

pub async fn a_claim_brings_the_undelivered_parts_of_each_message(world: World) {
    let (first, second) = (outgoing(&world).await, outgoing(&world).await);
    let worker = WorkerId::new();
    assert_eq!(claim_by(&world.db, worker, NOW).await, [first, second]);
    let delivered = Delivered {
        message: first,
        seq: 0,
        is_last: false,
        platform_id: Some("p"),
        worker,
    };
    let marks = (world.db).write(move |tx| Box::pin(outbox::part_delivered(tx, delivered, NOW)));
    marks.await.expect("marks");
    let claims = (world.db).write(move |tx| {
        let look = ClaimWindow::new(WorkerId::new(), NOW.after(LEASE * 2), LEASE);
        Box::pin(async move { outbox::claim(tx, look, &[Platform::new("telegram")], 10).await })
    });
    let claimed: Vec<_> = (claims.await.expect("claims").into_iter())
        .map(|(message, parts)| (message.id, parts.into_iter().map(|part| part.key).collect::<Vec<_>>()))
        .collect();
    let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    assert_eq!(claimed, [(first, keys(&["k2"])), (second, keys(&["k1", "k2"]))]);
    assert_eq!(claim(&world.db, NOW.after(LEASE * 2)).await, []);
}

pub async fn a_message_is_its_senders_until_another_takes_it_or_it_is_given_back(world: World) {
    let id = outgoing(&world).await;
    let (a, b) = (WorkerId::new(), WorkerId::new());
    let keeps = |worker, now: clifford_core::clock::Timestamp| {
        outbox::ensure_lease(&world.db, id, worker, now, now.after(LEASE))
    };
    let held = async |worker| {
        outbox::held(&mut world.db.read().await.expect("reads"), worker)
            .await
            .expect("reads")
    };
    assert_eq!(claim_by(&world.db, a, NOW).await, [id]);
    assert_eq!((held(a).await, held(b).await), (vec![id], vec![]));
    assert!(keeps(a, NOW).await.expect("reads"));
    assert!(!keeps(b, NOW).await.expect("reads"));
    // Nobody took it when its lease ran out: it is renewed, and so nobody does.
    let later = NOW.after(LEASE * 2);
    assert!(keeps(a, later).await.expect("renews"));
    assert_eq!(claim_by(&world.db, b, later).await, []);
    let much_later = NOW.after(LEASE * 4);
    assert_eq!(claim_by(&world.db, b, much_later).await, [id]);
    assert!(!keeps(a, much_later).await.expect("reads"));
    // Only who holds it gives it back, and then even its last holder may claim it.
    for worker in [a, b] {
        let given = world.db.write(move |tx| Box::pin(outbox::release(tx, id, worker)));
        given.await.expect("gives back");
        assert_eq!(held(b).await.is_empty(), worker == b);
    }
    assert_eq!(claim_by(&world.db, b, much_later).await, [id]);
}

pub async fn a_refused_message_is_given_up_with_its_parts(world: World) {
    let id = outgoing(&world).await;
    world
        .db
        .write(move |tx| Box::pin(outbox::fail(tx, id, WorkerId::new(), "blocked")))
        .await
        .expect("marks");
    assert_eq!(
        (status(&world, id).await, parts(&world, id).await),
        (MessageStatus::Failed, vec![])
    );
    assert_eq!(claim(&world.db, NOW.after(LEASE * 9)).await, []);
}

pub async fn nul_bytes_are_left_out_of_texts(world: World) {
    let message = messages::NewInbound {
        content: "a\0b".into(),
        ..world.message("n\0", MessageStatus::History)
    };
    assert!(world.store(message).await);
    let stored = messages::by_platform_id(&mut world.db.read().await.expect("reads"), world.channel.id, "n\0").await;
    assert_eq!(
        stored.expect("reads").map(|message| message.content).as_deref(),
        Some("ab")
    );
}

pub async fn a_transaction_that_fails_leaves_nothing(world: World) {
    let failed = world
        .db
        .write(|tx| {
            Box::pin(async move {
                users::find_or_create(
                    tx,
                    Platform::new("discord"),
                    &speaker("9"),
                    clifford_core::people::UserRole::Member,
                    NOW,
                )
                .await?;
                Err::<(), _>(StoreError::WrongState("no".into()))
            })
        })
        .await;
    assert!(matches!(failed, Err(StoreError::WrongState(_))));
    let known = users::by_identity(
        &mut world.db.read().await.expect("reads"),
        Platform::new("discord"),
        "9",
    )
    .await;
    assert_eq!(known.expect("reads"), None);
}
