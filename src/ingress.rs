//! From an event to a run: who may speak, which conversation, message and run in one transaction.
//!
//! A platform is told that an event was taken only after [`Ingress::accept`] has returned, so after the commit.

mod message;
mod pace;
mod pairing;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use clifford_channel::{
    Accepted, Address, Command, ConnectionStatus, Edit, Inbound, Ingress, IngressError, Left, Message, Moved, Place,
    Platform, Served, Speaker, Unreadable,
};
use dashmap::DashMap;

pub use self::pairing::{approve, claim_code, has_claim_code};
use self::{
    message::{Outcome, Taken},
    pace::Pace,
};
use crate::{
    access::{Entry, Policy},
    clock::Timestamp,
    commands,
    engine::{Engine, work::Work},
    id::{ChannelId, RunId},
    outbound::{Outbound, Ticket, To},
    store::{StoreError, Tx, channels, contexts, messages, runs, unreadable, users, users::UserRole},
};

/// How ingress judges what comes in.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whom each platform's channel answers.
    pub policies: BTreeMap<Platform, Policy>,
    /// Messages of one author within this time are one run's input; zero: nobody waits.
    pub debounce: Duration,
    /// The pieces of an album within this time are one message.
    pub album: Duration,
    /// What is older than this when it is found after a gap is stored as history only.
    pub catch_up: Duration,
    /// A conversation closes by itself after this time without a person's message; zero: never.
    pub auto_close: Duration,
    /// The most messages of one person in a minute; zero: no limit.
    pub user_messages_per_minute: u32,
}

/// Takes events in.
pub struct Gatekeeper {
    engine: Arc<Engine>,
    settings: Settings,
    pace: Pace,
    connections: DashMap<Platform, ConnectionStatus>,
}

/// Who speaks where, as far as the transaction needs to know.
#[derive(Clone, Debug)]
struct Visit {
    place: Place,
    speaker: Speaker,
    via: Option<String>,
    reply_to: Option<String>,
}

impl Visit {
    fn address(&self) -> Address {
        Address {
            place: self.place.external_id.clone(),
            private: self.place.kind.is_private(),
            reply_to: self.reply_to.clone(),
            via: self.via.clone(),
        }
    }
}

impl Gatekeeper {
    /// Takes events in for an engine.
    pub fn new(engine: Arc<Engine>, settings: Settings) -> Arc<Self> {
        let pace = Pace::new(settings.user_messages_per_minute);
        Arc::new(Self {
            engine,
            settings,
            pace,
            connections: DashMap::new(),
        })
    }

    /// How each platform is connected.
    pub fn connections(&self) -> BTreeMap<Platform, ConnectionStatus> {
        self.connections
            .iter()
            .map(|entry| (*entry.key(), entry.value().clone()))
            .collect()
    }

    fn policy(&self, platform: Platform) -> Policy {
        self.settings.policies.get(&platform).cloned().unwrap_or_default()
    }

    async fn message(&self, message: Message) -> Result<Accepted, StoreError> {
        if message.speaker.is_bot {
            return Ok(Accepted::Ignored);
        }
        let policy = self.policy(message.place.platform);
        if !policy.is_addressed(&message.place, message.addressed, &message.text) {
            return Ok(Accepted::Ignored);
        }
        let now = self.engine.clock.now();
        let limited = self.pace.over_limit(&message.place, &message.speaker, now);
        let taken = Taken {
            visit: Visit {
                place: message.place,
                speaker: message.speaker,
                via: message.via,
                reply_to: Some(message.id.clone()),
            },
            id: Some(message.id),
            key: None,
            text: message.text,
            sent_at: message.sent_at.into(),
            attachments: message.attachments,
            album: message.album,
            backfilled: message.backfilled,
            entry: None,
            policy,
            settings: self.settings.clone(),
            outbound: self.engine.outbound.clone(),
            worker: self.engine.worker,
            lease: self.engine.settings.lease,
            limited,
            now,
        };
        let outcome = self.engine.db.write(move |tx| Box::pin(taken.store(tx))).await?;
        Ok(self.go_on(outcome))
    }

    /// Goes on with what a transaction stored, after its commit.
    fn go_on(&self, outcome: Outcome) -> Accepted {
        for (run, epoch) in outcome.interrupted {
            self.engine.interrupt(run, epoch);
        }
        if let Some((ticket, to)) = outcome.answer {
            self.engine.delivery.busy(&to, RunId(ticket.message.id.0), 0);
            let id = RunId(ticket.message.id.0);
            self.engine.delivery.deliver(ticket);
            self.engine.delivery.done(&to, id, 0);
        }
        match outcome.start {
            Some(work) => {
                if let Some(to) = work.reply_to() {
                    self.engine.delivery.busy(&to, work.run.id, work.lease.epoch);
                }
                match work.run.wake_at.filter(|at| *at > self.engine.clock.now()) {
                    Some(at) => self.engine.start_later(work.lease, at),
                    None => self.engine.start(*work),
                }
            }
            None if outcome.work_to_claim => self.engine.bell.notify_one(),
            None => {}
        }
        outcome.accepted
    }

    async fn command(&self, command: Command) -> Result<Accepted, StoreError> {
        if command.speaker.is_bot {
            return Ok(Accepted::Ignored);
        }
        let visit = Visit {
            place: command.place.clone(),
            speaker: command.speaker.clone(),
            via: command.via.clone(),
            reply_to: Some(command.id.clone()),
        };
        let policy = self.policy(command.place.platform);
        let outbound = self.engine.outbound.clone();
        let now = self.engine.clock.now();
        let outcome = self
            .engine
            .db
            .write(move |tx| Box::pin(store_command(tx, command, visit, policy, outbound, now)))
            .await?;
        Ok(self.go_on(outcome))
    }

    async fn edit(&self, edit: Edit) -> Result<Accepted, StoreError> {
        let now = self.engine.clock.now();
        let (worker, until) = (self.engine.worker, now.after(self.engine.settings.lease));
        let again = self
            .engine
            .db
            .write(move |tx| Box::pin(store_edit(tx, edit, worker, until, now)))
            .await?;
        if let Some(lease) = again {
            self.engine.interrupt(lease.run, lease.epoch - 1);
            self.engine.start_held(lease);
        }
        Ok(Accepted::Stored)
    }

    async fn moved(&self, moved: Moved) -> Result<Accepted, StoreError> {
        self.engine
            .db
            .write(move |tx| Box::pin(async move { channels::moved(tx, moved.platform, &moved.from, &moved.to).await }))
            .await?;
        Ok(Accepted::Stored)
    }

    async fn left(&self, left: Left) -> Result<Accepted, StoreError> {
        let now = self.engine.clock.now();
        self.engine
            .db
            .write(move |tx| {
                Box::pin(async move {
                    if let Some(place) = &left.place {
                        channels::left(tx, left.platform, place, &left.reason, now).await?;
                    }
                    if let Some(space) = &left.space {
                        channels::left_space(tx, left.platform, space, &left.reason, now).await?;
                    }
                    Ok(())
                })
            })
            .await?;
        Ok(Accepted::Stored)
    }

    async fn unreadable(&self, event: Unreadable) -> Result<Accepted, StoreError> {
        tracing::warn!(platform = %event.platform, error = event.error, "an event could not be read; it is kept in unreadable_events");
        let now = self.engine.clock.now();
        self.engine
            .db
            .write(move |tx| {
                Box::pin(async move {
                    unreadable::insert(tx, event.platform.as_str(), &event.payload, &event.error, now).await
                })
            })
            .await?;
        Ok(Accepted::Stored)
    }
}

#[async_trait]
impl Ingress for Gatekeeper {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        let outcome = match event {
            Inbound::Message(message) => self.message(message).await,
            Inbound::Edit(edit) => self.edit(edit).await,
            Inbound::Command(command) => self.command(command).await,
            Inbound::Moved(moved) => self.moved(moved).await,
            Inbound::Left(left) => self.left(left).await,
            Inbound::Unreadable(event) => self.unreadable(event).await,
        };
        outcome.map_err(|error| {
            metrics::counter!("clifford_ingress_errors_total").increment(1);
            IngressError::Unavailable(error.to_string())
        })
    }

    async fn served(&self, platform: Platform, within: Duration) -> Result<Vec<Served>, IngressError> {
        let since = self.engine.clock.now().before(within);
        let served = async { channels::served(&mut self.engine.db.read().await?, platform, since).await };
        served
            .await
            .map_err(|error: StoreError| IngressError::Unavailable(error.to_string()))
    }

    fn status(&self, platform: Platform, status: ConnectionStatus) {
        match &status {
            ConnectionStatus::Connected(name) => tracing::info!(%platform, name, "connected"),
            ConnectionStatus::Disconnected(why) => tracing::warn!(%platform, why, "not connected"),
        }
        self.connections.insert(platform, status);
    }
}

/// What a chat is told at once, without a run.
fn answer(
    outbound: &Outbound,
    visit: &Visit,
    channel: &channels::Channel,
    text: &str,
    now: Timestamp,
) -> (messages::NewOutbound, Option<(Ticket, To)>) {
    let to = To {
        platform: visit.place.platform,
        channel: channel.id,
        context: channel.active_context_id,
        user: None,
        run: None,
        address: visit.address(),
    };
    let (message, ticket) = outbound.message(to.clone(), text, now);
    (message, ticket.map(|ticket| (ticket, to)))
}

async fn store_command(
    tx: &mut Tx,
    command: Command,
    visit: Visit,
    policy: Policy,
    outbound: Outbound,
    now: Timestamp,
) -> Result<Outcome, StoreError> {
    let known = users::by_identity(tx, visit.place.platform, &visit.speaker.id).await?;
    match policy.entry(&visit.place, &visit.speaker.id, known.as_ref().map(|user| user.role)) {
        Entry::Welcome => {}
        Entry::Pair => return pairing::meet(tx, &visit, &command.argument, &outbound, now).await,
        Entry::Ignored => return Ok(Outcome::ignored()),
    }
    let (user, channel) = settle(tx, &visit, known, UserRole::Member, now).await?;
    let stored = messages::insert_inbound(
        tx,
        &messages::NewInbound {
            id: crate::id::MessageId::new(),
            channel_id: channel.id,
            context_id: None,
            user_id: user.id,
            run_id: None,
            content: format!("/{} {}", command.name, command.argument).trim_end().to_owned(),
            attachments: Vec::new(),
            platform_message_id: Some(command.id.clone()),
            idempotency_key: None,
            album: None,
            status: messages::MessageStatus::History,
            sent_at: command.sent_at.into(),
        },
        now,
    )
    .await?;
    if !stored {
        return Ok(Outcome {
            accepted: Accepted::Duplicate,
            ..Outcome::ignored()
        });
    }
    let done = commands::run(tx, &command.name, &command.argument, &channel, &user, now).await?;
    // Commands and their answers are no part of a conversation.
    let aside = channels::Channel {
        active_context_id: None,
        ..channel
    };
    let (message, ticket) = answer(&outbound, &visit, &aside, &done.text, now);
    messages::insert_outbound(tx, &message, now).await?;
    Ok(Outcome {
        accepted: Accepted::Answering,
        answer: ticket,
        interrupted: done.cancelled,
        ..Outcome::ignored()
    })
}

/// The person (unless that was looked up already) and the channel of a visit; both are made if they are new.
async fn settle(
    tx: &mut Tx,
    visit: &Visit,
    known: Option<users::User>,
    role: UserRole,
    now: Timestamp,
) -> Result<(users::User, channels::Channel), StoreError> {
    let user = match known {
        Some(user) => user,
        None => users::find_or_create(tx, visit.place.platform, &visit.speaker, role, now).await?,
    };
    let person = visit.place.kind.is_private().then_some(user.id);
    let channel = channels::find_or_create(tx, &visit.place, person, now).await?;
    Ok((user, channel))
}

/// A message that was not answered yet gets its new text; its run begins again, if it has made no step.
async fn store_edit(
    tx: &mut Tx,
    edit: Edit,
    worker: crate::id::WorkerId,
    until: Timestamp,
    now: Timestamp,
) -> Result<Option<runs::Lease>, StoreError> {
    let Some(channel) = channels::by_place(tx, edit.place.platform, &edit.place.external_id).await? else {
        return Ok(None);
    };
    let Some(message) = messages::by_platform_id(tx, channel.id, &edit.id).await? else {
        return Ok(None);
    };
    if let Some(context) = message.context_id {
        contexts::lock(tx, context).await?;
    }
    let text = message::spoken(&channel, &edit.speaker.name, &edit.text);
    match (message.status, message.run_id) {
        (messages::MessageStatus::Queued, _) => {
            messages::edit(tx, message.id, &text, now).await?;
            Ok(None)
        }
        (messages::MessageStatus::Received, Some(run)) => {
            let mut input = messages::input_of(tx, run).await?;
            for part in &mut input {
                if *part == message.content {
                    part.clone_from(&text);
                    break;
                }
            }
            let again = runs::begin_again(tx, run, &input.join("\n"), worker, until, now).await?;
            let Some(again) = again else { return Ok(None) };
            messages::edit(tx, message.id, &text, now).await?;
            Ok(Some(runs::Lease {
                run,
                owner: worker,
                epoch: again.epoch,
            }))
        }
        _ => Ok(None),
    }
}

/// A message through the API: the same way, for a channel of its own.
#[derive(Clone, Debug)]
pub struct ApiMessage {
    /// Where.
    pub place: Place,
    /// Who.
    pub speaker: Speaker,
    /// The text.
    pub text: String,
    /// The sender's own key against storing it twice.
    pub key: Option<String>,
    /// The conversation to go on with, if not the active one.
    pub context: Option<crate::id::ContextId>,
}

/// What became of a message through the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiAccepted {
    /// The message.
    pub message: crate::id::MessageId,
    /// Its run; `None` while it waits for another to end.
    pub run: Option<RunId>,
    /// Its channel.
    pub channel: ChannelId,
}

impl Gatekeeper {
    /// Takes a message of an API caller, who was let in by a token.
    ///
    /// # Errors
    /// The store's; [`StoreError::NotFound`] for a context that is not this channel's.
    pub async fn api_message(&self, message: ApiMessage) -> Result<ApiAccepted, StoreError> {
        let now = self.engine.clock.now();
        let (platform, place) = (message.place.platform, message.place.external_id.clone());
        let key = message.key.unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
        let by_key = key.clone();
        let context = message.context;
        let taken = Taken {
            visit: Visit {
                place: message.place,
                speaker: message.speaker,
                via: None,
                reply_to: None,
            },
            id: None,
            key: Some(key),
            text: message.text,
            sent_at: now,
            attachments: Vec::new(),
            album: None,
            backfilled: false,
            entry: Some(Entry::Welcome),
            policy: Policy::default(),
            settings: self.settings.clone(),
            outbound: self.engine.outbound.clone(),
            worker: self.engine.worker,
            lease: self.engine.settings.lease,
            limited: pace::Limited::No,
            now,
        };
        let outcome = self
            .engine
            .db
            .write(move |tx| {
                Box::pin(async move {
                    if let Some(context) = context {
                        message::choose_context(tx, &taken.visit, context, now).await?;
                    }
                    taken.store(tx).await
                })
            })
            .await?;
        let no_agent = outcome.no_agent;
        self.go_on(outcome);
        if no_agent {
            return Err(StoreError::NotFound("enabled agent".to_owned()));
        }
        let mut conn = self.engine.db.read().await?;
        let gone = || StoreError::NotFound("message just stored".to_owned());
        let channel = channels::by_place(&mut conn, platform, &place)
            .await?
            .ok_or_else(gone)?;
        let stored = messages::by_key(&mut conn, channel.id, &by_key)
            .await?
            .ok_or_else(gone)?;
        Ok(ApiAccepted {
            message: stored.id,
            run: stored.run_id,
            channel: channel.id,
        })
    }

    /// The engine that events become runs of.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Begins a run that is not a chat message's.
    pub fn start(&self, work: Work) {
        self.engine.start(work);
    }
}
