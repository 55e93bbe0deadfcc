//! A database with an agent, a person, a channel and a conversation in it.

use std::time::Duration;

use clifford_chat::{
    inbound::{Place, PlaceKind, Speaker},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ContextId, MemoryItemId, MessageId, RunId, SpaceId, UserId, WorkerId},
    memory::rows::{Change, Item},
    messages::MessageStatus,
    people::{User, UserRole},
    places::{Channel, Mode},
    runs::{Run, RunStatus},
    settings::{Database, Synchronous},
};
use clifford_store::{
    Db, DbOptions, StoreError, Tx, contexts,
    leases::ClaimWindow,
    memory::write::{self as memory_write, Words},
    messages::{self, NewInbound},
    people::users,
    places::{
        agents::{self, Agent},
        channels,
    },
    runs::{
        self, Advance, Lease, NewRun,
        queue::{self as run_queue, Claimed},
    },
};
use tempfile::TempDir;

use crate::harness::migrated;

/// The moment at which a test begins.
pub const NOW: Timestamp = Timestamp(1_767_225_600_000);
/// How long leases are in tests.
pub const LEASE: Duration = Duration::from_secs(30);
/// How many subagents of one tree may be at work at the same time.
pub const TREE: u32 = 4;

/// A database that goes away with the test.
pub struct Home {
    pub db: Db,
    pub options: DbOptions,
    _dir: Option<TempDir>,
}

impl Home {
    pub async fn sqlite() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let options = options(format!("sqlite:{}", dir.path().join("clifford.db").display()));
        let db = Db::open(&options).await.expect("opens");
        Self {
            db,
            options,
            _dir: Some(dir),
        }
    }

    /// Nothing where PostgreSQL is not to be tested.
    pub async fn postgres() -> Option<Self> {
        let url = tokio::task::spawn_blocking(migrated).await.expect("a cluster")?;
        let options = options(url);
        let db = Db::open(&options).await.expect("opens");
        Some(Self {
            db,
            options,
            _dir: None,
        })
    }
}

pub fn options(url: String) -> DbOptions {
    DbOptions {
        url,
        section: Database {
            synchronous: Synchronous::Normal,
            max_connections: 12,
            ..Database::default()
        },
        exclusive: false,
        migrate: true,
    }
}

/// The person and the place.
#[derive(Clone)]
pub struct World {
    pub db: Db,
    pub agent: AgentId,
    pub user: User,
    pub channel: Channel,
    pub context: ContextId,
}

/// An item that was said in private, as the memory writer makes it.
pub fn item(module: &str, key: &str, value: &str, level: i64) -> Item {
    Item {
        id: MemoryItemId::new(),
        module: module.into(),
        key: key.into(),
        value: value.into(),
        level,
        confidence: 0.6,
        origin_space: None,
        shareable: false,
        pinned: false,
        created_at: NOW,
        last_seen_at: NOW,
    }
}

/// Remembers an item of a person.
pub async fn remember(db: &Db, user: UserId, context: ContextId, space: Option<SpaceId>, item: Item) {
    db.write(move |tx| {
        Box::pin(
            async move { memory_write::change(tx, user, Some(context), space, Words::Own, &[Change::Add(item)]).await },
        )
    })
    .await
    .expect("stores");
}

impl World {
    pub async fn new(db: &Db) -> Self {
        let agent = AgentId::new();
        let (user, channel, context) = db
            .write(move |tx| {
                Box::pin(async move {
                    agents::put(tx, &an_agent(agent, "clifford"), NOW).await?;
                    let user =
                        users::find_or_create(tx, Platform::new("telegram"), &speaker("1"), UserRole::Member, NOW)
                            .await?;
                    let channel = channels::find_or_create(tx, &place("1"), Some((user.id, "1")), NOW).await?;
                    let context = contexts::begin(tx, &channel, None, NOW).await?;
                    Ok((user, channel, context))
                })
            })
            .await
            .expect("a world");
        Self {
            db: db.clone(),
            agent,
            user,
            channel,
            context,
        }
    }

    /// A coordinator run in the conversation.
    pub fn run(&self) -> NewRun {
        NewRun {
            context_id: Some(self.context),
            ..self.loose_run()
        }
    }

    /// A coordinator run in no conversation.
    pub fn loose_run(&self) -> NewRun {
        NewRun {
            channel_id: Some(self.channel.id),
            user_id: Some(self.user.id),
            ..NewRun::of(self.agent, clifford_core::places::Mode::Run, "hello")
        }
    }

    pub fn child_of(&self, parent: &Run) -> NewRun {
        NewRun {
            parent: Some((parent.id, parent.root_run_id)),
            level: 1,
            context_id: parent.context_id,
            ..self.loose_run()
        }
    }

    pub async fn insert(&self, run: NewRun) -> Result<Run, StoreError> {
        self.db
            .write(move |tx| Box::pin(async move { runs::insert(tx, &run, NOW).await }))
            .await
    }

    /// A run that a worker holds from the start.
    pub async fn held(&self, run: NewRun) -> (Run, Lease) {
        let owner = WorkerId::new();
        let run = self
            .insert(NewRun {
                lease: Some((owner, NOW.after(LEASE))),
                ..run
            })
            .await
            .expect("inserts");
        let lease = Lease {
            run: run.id,
            owner,
            epoch: run.epoch,
        };
        (run, lease)
    }

    /// At most [`TREE`] subagents of one tree.
    pub async fn claim(&self, worker: WorkerId, now: Timestamp, limit: u32) -> Vec<Lease> {
        let claimed = self.claim_knowing(worker, now, limit).await;
        claimed.into_iter().map(|claimed| claimed.lease).collect()
    }

    /// The same, with what is known of deaths.
    pub async fn claim_knowing(&self, worker: WorkerId, now: Timestamp, limit: u32) -> Vec<Claimed> {
        self.db
            .write(move |tx| {
                Box::pin(async move {
                    let look = ClaimWindow::new(worker, now, LEASE);
                    run_queue::claim(tx, look, &[Platform::new("telegram")], limit, TREE).await
                })
            })
            .await
            .expect("claims")
    }

    pub async fn advance(&self, lease: Lease, status: RunStatus) -> Result<(), StoreError> {
        self.db
            .write(move |tx| Box::pin(async move { runs::advance(tx, &lease, &to(status), NOW).await }))
            .await
    }

    pub async fn get(&self, id: RunId) -> Run {
        runs::get(&mut self.db.read().await.expect("reads"), id)
            .await
            .expect("reads")
            .expect("a run")
    }

    pub fn message(&self, id: &str, status: MessageStatus) -> NewInbound {
        NewInbound {
            id: MessageId::new(),
            channel_id: self.channel.id,
            context_id: Some(self.context),
            user_id: self.user.id,
            run_id: None,
            content: format!("message {id}"),
            attachments: vec![],
            quote: None,
            quoted_user_id: None,
            platform_message_id: Some(id.into()),
            idempotency_key: None,
            request_hash: None,
            album: None,
            status,
            sent_at: NOW,
        }
    }

    /// `false`: it is there already.
    pub async fn store(&self, message: NewInbound) -> bool {
        let stored = self
            .db
            .write(move |tx| Box::pin(async move { messages::insert_inbound(tx, &message, NOW).await }))
            .await;
        match stored {
            Ok(()) => true,
            Err(StoreError::Conflict(_)) => false,
            Err(other) => panic!("{other}"),
        }
    }
}

/// A change to a status, and nothing else.
pub fn to(status: RunStatus) -> Advance {
    Advance {
        status,
        output: None,
        error: None,
        wake_at: None,
        wake_reason: None,
        wake_on: None,
        llm_calls: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        cached_tokens: 0,
        cost: 0.0,
        worked_ms: 0,
    }
}

pub fn an_agent(id: AgentId, name: &str) -> Agent {
    Agent {
        id,
        name: name.into(),
        prompt: "You are Clifford.".into(),
        mode: Mode::Run,
        enabled: true,
        is_default: true,
    }
}

pub fn speaker(id: &str) -> Speaker {
    Speaker {
        id: id.into(),
        name: "Ada".into(),
        handle: None,
        is_bot: false,
        language: None,
        roles: None,
    }
}

pub fn place(id: &str) -> Place {
    Place {
        platform: Platform::new("telegram"),
        external_id: id.into(),
        parent: None,
        kind: PlaceKind::Private,
        name: None,
        space: None,
    }
}

/// Ends a held run as a worker's commit would, without steps.
pub async fn end(tx: &mut Tx, lease: Lease, status: RunStatus) -> Result<(), StoreError> {
    runs::advance(tx, &lease, &to(status), NOW).await
}
