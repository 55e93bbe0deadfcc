//! Closing, compacting, and the rows of the memory writer.

use std::{ops::Range, time::Duration};

use clifford_chat::outbound::{Address, Part};
use clifford_core::{
    clock::Timestamp,
    id::{ContextId, MessageId, RunId, SpaceId},
    memory::rows::{Change, Item, SourceMessage},
    messages::{Direction, MessageStatus},
    runs::RunStatus,
    work::{JobKind, JobStatus, WriteMode},
};
use clifford_engine::memory::closing;
use clifford_store::{
    BoxFuture, Pools, StoreError, Tx,
    contexts::{self, Context},
    jobs::{self, Filter, Job, JobLease},
    leases::ClaimWindow,
    memory::write::{self as memory_write, Summary, Words},
    messages::{self, NewOutbound},
    runs::{self, approvals},
};
use serde_json::json;

use super::{
    people::texts,
    world::{LEASE, NOW, World, to},
};

impl World {
    async fn write<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static,
    ) -> T {
        self.db.write(work).await.expect("writes")
    }

    /// A message of the person.
    async fn says(&self, text: &str, status: MessageStatus) -> MessageId {
        let message = self.message(text, status);
        let id = message.id;
        assert!(self.store(message).await);
        id
    }

    /// A message of the bot, with as many parts to be sent.
    async fn answers(&self, parts: usize) -> MessageId {
        let id = MessageId::new();
        let message = NewOutbound {
            id,
            channel_id: self.channel.id,
            context_id: Some(self.context),
            user_id: Some(self.user.id),
            run_id: None,
            content: "an answer".into(),
            attachments: None,
            metadata: None,
            edits: None,
            address: Address {
                place: "1".into(),
                private: true,
                reply_to: None,
                via: None,
            },
            parts: (0..parts)
                .map(|number| {
                    let part = Part::Text {
                        text: "an answer".into(),
                        plain: "an answer".into(),
                        rich: None,
                        buttons: Vec::new(),
                    };
                    (format!("{id}-{number}"), part)
                })
                .collect(),
            lease: None,
            marks_first: false,
        };
        self.write(move |tx| Box::pin(async move { messages::insert_outbound(tx, &message, NOW).await }))
            .await;
        id
    }

    /// Turns of these numbers, each a question and its answer.
    async fn turns(&self, numbers: Range<usize>) -> Vec<MessageId> {
        let mut all = Vec::new();
        for turn in numbers {
            all.push(self.says(&format!("{turn}"), MessageStatus::Received).await);
            all.push(self.answers(0).await);
        }
        all
    }

    async fn compact(&self) -> bool {
        let context = self.context;
        self.write(move |tx| Box::pin(closing::compact(tx, context, NOW))).await
    }

    async fn close(&self) -> bool {
        let context = self.context;
        self.write(move |tx| Box::pin(closing::close(tx, context, NOW))).await
    }

    async fn jobs(&self) -> Vec<Job> {
        let mut conn = self.db.read().await.expect("reads");
        let mut jobs = jobs::page(&mut conn, &Filter::default(), 100).await.expect("reads");
        jobs.reverse();
        jobs
    }

    async fn claimed(&self) -> JobLease {
        let worker = clifford_core::id::WorkerId::new();
        let window = ClaimWindow::new(worker, NOW, LEASE);
        self.write(move |tx| Box::pin(jobs::claim(tx, JobKind::MemoryWrite, window)))
            .await
            .expect("a job")
            .1
    }

    async fn context(&self) -> Context {
        contexts::get(&mut self.db.read().await.expect("reads"), self.context)
            .await
            .expect("reads")
            .expect("a context")
    }

    async fn told(&self, through: MessageId) {
        let (context, of) = (self.context, vec![self.user.id]);
        let summary = Summary {
            text: "They met.".into(),
            of,
            through,
        };
        self.write(move |tx| Box::pin(async move { memory_write::compacted(tx, context, &summary).await }))
            .await;
    }

    async fn items(&self) -> Vec<Item> {
        memory_write::items(&mut self.db.read().await.expect("reads"), self.user.id)
            .await
            .expect("reads")
    }

    async fn put(&self, space: Option<SpaceId>, changes: Vec<Change>) {
        let (user, context) = (self.user.id, self.context);
        self.write(move |tx| {
            Box::pin(async move { memory_write::change(tx, user, Some(context), space, Words::Own, &changes).await })
        })
        .await;
    }

    async fn delete_through(&self, through: MessageId, limit: u32) -> usize {
        let context = self.context;
        self.write(move |tx| Box::pin(memory_write::delete_compacted(tx, context, through, limit)))
            .await
    }

    async fn execute(&self, sql: &'static str) {
        match self.db.pools() {
            // The writer keeps its one connection to itself.
            Pools::Sqlite { read, .. } => drop(sqlx::query(sql).execute(read).await.expect("writes")),
            Pools::Postgres(pool) => drop(sqlx::query(sql).execute(pool).await.expect("writes")),
        }
    }

    async fn count(&self, sql: &'static str) -> i64 {
        match self.db.pools() {
            Pools::Sqlite { read, .. } => sqlx::query_scalar(sql).fetch_one(read).await.expect("reads"),
            Pools::Postgres(pool) => sqlx::query_scalar(sql).fetch_one(pool).await.expect("reads"),
        }
    }

    /// The part of the conversation that a run which begins now is shown.
    async fn shown(&self, context: ContextId) -> Vec<String> {
        let mut conn = self.db.read().await.expect("reads");
        let turns = messages::conversation(&mut conn, context, RunId::new(), 100)
            .await
            .expect("reads");
        turns.into_iter().map(|turn| turn.content).collect()
    }
}

fn item(key: &str) -> Item {
    super::world::item("identity", key, "Ada", 1)
}

pub async fn a_conversation_that_closes_by_itself_is_remembered(world: World) {
    let last = world.turns(1..2).await[1];
    let later = NOW.after(std::time::Duration::from_secs(86_400));
    assert_eq!(closing::close_idle(&world.db, later, later).await.expect("closes"), 1);
    let jobs = world.jobs().await;
    let made: Vec<_> = jobs.iter().map(|job| (job.mode, job.through)).collect();
    assert_eq!(made, [(Some(WriteMode::Close), Some(last))]);
}

pub async fn a_closed_conversation_is_remembered_if_somebody_spoke_in_it(world: World) {
    assert!(world.close().await);
    assert_eq!(world.jobs().await, []);
    world.turns(0..1).await;
    // It is closed already.
    assert!(!world.close().await);
    let context = world.context;
    world.write(move |tx| Box::pin(contexts::touch(tx, context, NOW))).await;
    let last = world.turns(1..2).await[1];
    assert!(world.close().await);
    let jobs = world.jobs().await;
    let made: Vec<_> = jobs
        .iter()
        .map(|job| (job.kind, job.mode, job.context_id, job.through, job.status))
        .collect();
    assert_eq!(
        made,
        [(
            JobKind::MemoryWrite,
            Some(WriteMode::Close),
            Some(context),
            Some(last),
            JobStatus::Pending
        )]
    );
    // Read messages are not read again.
    world
        .write(move |tx| {
            Box::pin(async move {
                memory_write::remembered(tx, context, last).await?;
                contexts::touch(tx, context, NOW).await
            })
        })
        .await;
    assert!(world.close().await);
    assert_eq!(world.jobs().await.len(), 1);
}

pub async fn the_older_half_leaves_and_only_once_at_a_time(world: World) {
    assert!(!world.compact().await, "there is nothing to tell");
    let all = world.turns(0..5).await;
    world.says("waits", MessageStatus::Queued).await;
    assert!(world.compact().await);
    assert!(!world.compact().await);
    let through: Vec<_> = world.jobs().await.into_iter().map(|job| job.through).collect();
    // Five of ten; what stays begins with a question.
    assert_eq!(through, [Some(all[3])]);
    world.told(all[3]).await;
    let lease = world.claimed().await;
    world
        .write(move |tx| Box::pin(async move { jobs::finish(tx, &lease, &json!({}), NOW).await }))
        .await;
    assert!(world.compact().await);
    assert_eq!(world.jobs().await[1].through, Some(all[5]));
}

pub async fn a_summary_stands_for_what_it_tells(world: World) {
    let context = world.context;
    let all = world.turns(0..3).await;
    let (first, last) = (RunId::new(), RunId::new());
    world.insert_ended(first).await;
    world.insert_ended(last).await;
    // One run took in two of the turns that stay.
    for (id, run) in [(all[0], first), (all[2], last), (all[4], last)] {
        world
            .write(move |tx| Box::pin(messages::give_to_run(tx, id, run)))
            .await;
    }
    assert_eq!(world.shown(context).await.len(), 6);
    world.told(all[1]).await;
    assert_eq!(
        world.shown(context).await,
        ["message 1", "an answer", "message 2", "an answer"]
    );
    assert_eq!(world.context().await.turn_count, 2);
    let standing = memory_write::standing(&mut world.db.read().await.expect("reads"), context)
        .await
        .expect("reads")
        .expect("a context");
    assert_eq!(
        (
            standing.summary.as_deref(),
            standing.summary_of.map(|of| of.0),
            standing.compacted_through
        ),
        (Some("They met."), Some(vec![world.user.id]), Some(all[1]))
    );
    let next = memory_write::next(
        &mut world.db.read().await.expect("reads"),
        context,
        standing.compacted_through,
        Some(all[4]),
        2,
    )
    .await
    .expect("reads");
    let said = |id, direction, content: &str| SourceMessage {
        id,
        direction,
        user_id: Some(world.user.id),
        content: content.into(),
        failed: false,
    };
    assert_eq!(
        next,
        [
            said(all[2], Direction::Inbound, "message 1"),
            said(all[3], Direction::Outbound, "an answer")
        ]
    );
}

pub async fn a_run_that_ends_learns_how_many_turns_its_conversation_has(world: World) {
    let (_, lease) = world.held(world.run()).await;
    let context = world.context;
    let rest = world
        .write(move |tx| {
            Box::pin(async move {
                contexts::count_turn(tx, context, "name").await?;
                contexts::count_turn(tx, context, "name").await?;
                runs::advance_to_rest(tx, &lease, &to(RunStatus::Completed), context, NOW).await
            })
        })
        .await;
    assert_eq!((rest.turns, rest.queued), (2, vec![]));
}

pub async fn items_are_added_changed_and_archived_unless_they_are_pinned(world: World) {
    let (name, town) = (item("name"), item("town"));
    world
        .put(None, vec![Change::Add(name.clone()), Change::Add(town.clone())])
        .await;
    let mut known = world.items().await;
    known.sort_by_key(|item| item.id);
    assert_eq!(known, [name.clone(), town.clone()]);
    let changed = Item {
        shareable: true,
        value: "Ada King".into(),
        level: 0,
        confidence: 0.9,
        last_seen_at: Timestamp(NOW.0 + 1),
        ..name
    };
    // The archived one makes room for its key.
    let again = item("town");
    world
        .put(
            None,
            vec![
                Change::Archive(town.id),
                Change::Update(changed.clone()),
                Change::Add(again.clone()),
            ],
        )
        .await;
    assert_eq!(world.items().await, [changed.clone(), again.clone()]);
    world
        .execute("UPDATE memory_items SET pinned = (1 = 1) WHERE NOT archived")
        .await;
    let other = Item {
        value: "Eve".into(),
        ..changed.clone()
    };
    world
        .put(None, vec![Change::Update(other), Change::Archive(again.id)])
        .await;
    let pinned = |item: Item| Item { pinned: true, ..item };
    assert_eq!(world.items().await, [pinned(changed), pinned(again)]);
}

pub async fn what_came_of_words_from_outside_stays_that_whichever_conversation_says_it_anew(world: World) {
    let run = world.insert(world.run()).await.expect("inserts");
    let name = item("name");
    world.put(None, vec![Change::Add(name.clone())]).await;
    let (user, context, channel) = (world.user.id, world.context, world.channel.clone());
    let other = world
        .write(move |tx| Box::pin(async move { contexts::begin(tx, &channel, None, NOW).await }))
        .await;
    let said_in = async |place: ContextId| {
        let changes = vec![Change::Update(name.clone())];
        world
            .write(move |tx| {
                Box::pin(async move { memory_write::change(tx, user, Some(place), None, Words::Own, &changes).await })
            })
            .await;
        texts(&world.db, "SELECT context_id FROM memory_items").await.remove(0)
    };
    let (this, other_one) = (context.to_string(), other.to_string());
    assert_eq!(said_in(other).await, other_one);
    assert_eq!(said_in(context).await, this);
    // Now its conversation has read words from outside.
    let taint = run.id;
    world
        .write(move |tx| Box::pin(async move { approvals::taint(tx, taint).await }))
        .await;
    assert_eq!(said_in(other).await, this);
}

pub async fn compacted_messages_are_deleted_in_batches_but_not_what_is_still_to_be_sent(world: World) {
    let mut all = world.turns(0..2).await;
    all.push(world.answers(2).await);
    all.extend(world.turns(2..3).await);
    let waiting = all[4];
    world.execute("UPDATE message_parts SET status = 'pending'").await;
    world
        .execute(
            "INSERT INTO files (id, message_id, name, location, created_at)
             SELECT 'file-' || id, id, 'a.pdf', 'x', 0 FROM messages WHERE direction = 'inbound'",
        )
        .await;
    assert!(world.compact().await);
    assert_eq!(world.delete_through(all[6], 10).await, 0, "no summary tells them yet");
    world.told(waiting).await;
    assert_eq!(world.delete_through(all[6], 3).await, 3);
    assert_eq!(world.delete_through(all[6], 3).await, 1);
    assert_eq!(world.delete_through(all[6], 3).await, 0);
    assert_eq!(world.count("SELECT COUNT(*) FROM messages").await, 3);
    assert_eq!(world.count("SELECT COUNT(*) FROM files").await, 1);
    assert_eq!(world.count("SELECT COUNT(*) FROM message_parts").await, 2);
}

pub async fn of_a_long_text_the_memory_writer_reads_the_beginning(world: World) {
    let (long, context) = ("é".repeat(100_000), world.context);
    let id = world.says(&long, MessageStatus::Received).await;
    let mut conn = world.db.read().await.expect("reads");
    let read = memory_write::next(&mut conn, context, None, Some(id), 2).await;
    let read: Vec<_> = read.expect("reads").into_iter().map(|said| said.content).collect();
    let begins = read
        .iter()
        .all(|text| text.chars().filter(|letter| *letter == 'é').count() > 20_000);
    assert!(begins && read.len() == 1 && read[0].chars().count() < 30_000);
}

pub async fn what_a_run_that_waits_was_told_stays_until_its_end(world: World) {
    let all = world.turns(0..3).await;
    let (_, lease) = world.held(world.run()).await;
    let (asked, run) = (all[0], lease.run);
    world
        .write(move |tx| Box::pin(messages::give_to_run(tx, asked, run)))
        .await;
    world
        .execute(
            "INSERT INTO files (id, message_id, name, location, created_at)
             SELECT 'file-' || id, id, 'a.pdf', 'x', 0 FROM messages WHERE direction = 'inbound'",
        )
        .await;
    world.told(all[3]).await;
    assert_eq!(world.delete_through(all[3], 10).await, 3);
    assert_eq!(world.count("SELECT COUNT(*) FROM files").await, 2);
    world.advance(lease, RunStatus::Waiting).await.expect("waits");
    assert_eq!(world.delete_through(all[3], 10).await, 0);
    world.execute("UPDATE runs SET status = 'completed'").await;
    assert_eq!(world.delete_through(all[3], 10).await, 1);
    assert_eq!(world.count("SELECT COUNT(*) FROM files").await, 1);
}

pub async fn a_compaction_is_kept_until_its_messages_are_gone(world: World) {
    let later = NOW.after(Duration::from_secs(60));
    world.turns(0..3).await;
    assert!(world.compact().await);
    let through = world.jobs().await[0].through.expect("a message");
    let lease = world.claimed().await;
    world.told(through).await;
    let kept = async || {
        memory_write::kept(&mut world.db.read().await.expect("reads"), later, None, 10)
            .await
            .expect("reads")
            .len()
    };
    assert_eq!(kept().await, 0, "it has not ended");
    world
        .write(move |tx| {
            Box::pin(async move {
                jobs::hold(tx, &lease, NOW).await?;
                jobs::save_progress(tx, &lease, &json!({"messages": 1})).await?;
                jobs::finish(tx, &lease, &json!({"messages": 2}), NOW).await
            })
        })
        .await;
    let result = world.jobs().await.remove(0).result.map(|result| result.0);
    assert_eq!(result, Some(json!({"messages": 2})));
    let purge = async || {
        let job = lease.job;
        world
            .write(move |tx| Box::pin(memory_write::purged(tx, job, later)))
            .await;
    };
    purge().await;
    assert_eq!(kept().await, 1, "its messages are there");
    world.delete_through(through, 100).await;
    purge().await;
    assert_eq!(kept().await, 0);
}

impl World {
    /// A run of this conversation that has ended.
    async fn insert_ended(&self, id: RunId) {
        let (_, lease) = self.held(runs::NewRun { id, ..self.run() }).await;
        self.advance(lease, RunStatus::Completed).await.expect("ends");
    }
}
