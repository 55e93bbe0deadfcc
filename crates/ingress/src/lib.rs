//! From an event to a run: who may speak, which conversation, message and run in one transaction.
//!
//! A platform gets its acknowledgement of an event only after [`Ingress::accept`] has returned, so after the commit.
//!
//! **Buttons.** A button carries a command line, and pressing it gives that command as the pressing person: the same
//! access rules, the same transaction (`command.rs`), and a repeat is a repeat. The platform's acknowledgement goes out
//! at once, independent of the command's result. Completion of an argument only reads (`completion.rs`).

mod api;
mod careful;
mod command;
pub mod commands;
mod completion;
mod deletion;
mod edit;
pub mod identity;
mod in_words;
mod managing;
mod message;
mod outcome;
mod pace;
mod pairing;
mod poisoned;
mod quoted;

use std::{borrow::Cow, collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use clifford_channel::Ingress;
use clifford_chat::{
    completion::{Choice, Completion},
    error::IngressError,
    inbound::{Accepted, Attachment, ConnectionStatus, Edit, Inbound, Left, Message, Moved, Place, Served, Speaker},
    outbound::Address,
    platform::Platform,
};
use clifford_core::{
    access::Policy,
    clock::{SharedClock, Timestamp},
    id::RunId,
    people::UserRole,
    settings::Ingress as Section,
};
use clifford_delivery::outbound::{Outbound, PendingDelivery, To};
use clifford_engine::{Context, Runs, models::byok};
use clifford_store::{Db, StoreError, Tx, inbound_lookup, messages, people::users, places::channels};
use clifford_telemetry::{measures, quarantine::Careful};
use dashmap::DashMap;

pub use self::{
    api::{ApiAccepted, ApiMessage, ApiRefusal},
    pairing::approve,
};
use self::{message::AcceptContext, outcome::Outcome, pace::Pace};

/// How ingress judges what comes in.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The people whom each platform's channel answers.
    pub policies: BTreeMap<Platform, Policy>,
    /// `[ingress]`.
    pub section: Section,
}

/// Takes events in.
pub struct IngressService {
    db: Db,
    clock: SharedClock,
    runs: Arc<Runs>,
    context: Arc<Context>,
    careful: Arc<Careful>,
    settings: Settings,
    pace: Pace,
    connections: DashMap<Platform, ConnectionStatus>,
}

/// The speaker and the place, as far as the transaction needs them.
#[derive(Clone, Debug)]
struct Origin {
    place: Place,
    speaker: Speaker,
    via: Option<String>,
    reply_to: Option<String>,
}

impl Origin {
    fn address(&self) -> Address {
        Address {
            place: self.place.external_id.clone(),
            private: self.place.kind.is_private(),
            reply_to: self.reply_to.clone(),
            via: self.via.clone(),
        }
    }
}

impl IngressService {
    /// Events become runs of `runs`; while `careful` is on, they are stored one by one.
    pub fn new(runs: Arc<Runs>, careful: Arc<Careful>, settings: Settings) -> Arc<Self> {
        let context = Arc::clone(&runs.context);
        let pace = Pace::new(settings.section.user_messages_per_minute);
        Arc::new(Self {
            db: context.db.clone(),
            clock: Arc::clone(&context.clock),
            runs,
            context,
            careful,
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
        if !message.place.kind.is_private() {
            let quoted = message.quoted.iter().map(|quoted| quoted.text.as_str());
            for text in std::iter::once(message.text.as_str()).chain(quoted) {
                pairing::void_said(&self.db, text, self.clock.now()).await?;
            }
        }
        if message.speaker.is_bot {
            return Ok(Accepted::Ignored);
        }
        let policy = self.policy(message.place.platform);
        let is_addressed = policy.is_addressed(&message.place, message.addressed, &message.text);
        if !is_addressed && !self.goes_on_with_album(&message).await? {
            return Ok(Accepted::Ignored);
        }
        let now = self.clock.now();
        let quoted = self.quoted(&message.place, &message.speaker, message.quoted).await?;
        let limited = self.pace.over_limit(&message.place, &message.speaker, now);
        let taken = AcceptContext {
            visit: Origin {
                place: message.place,
                speaker: message.speaker,
                via: message.via,
                reply_to: Some(message.id.clone()),
            },
            id: Some(message.id),
            key: None,
            request_hash: None,
            text: self.masked(message.text),
            sent_at: message.sent_at.into(),
            attachments: self.masked_names(message.attachments),
            quoted,
            album: message.album,
            backfilled: message.backfilled,
            entry: None,
            policy,
            settings: self.settings.clone(),
            outbound: self.context.outbound.clone(),
            worker: self.context.worker,
            lease: self.context.settings.engine.lease,
            mode: None,
            defaults: self.context.settings.defaults,
            limited,
            now,
        };
        let (platform, account) = (taken.visit.place.platform, taken.visit.speaker.id.clone());
        match self.store(taken).await {
            Ok(outcome) => Ok(self.after_commit(outcome)),
            Err(error) => {
                // It is handed in again: what could not be stored is not counted against its author.
                self.pace.release(platform, &account);
                Err(error)
            }
        }
    }

    /// Whether a message is a further piece of an album that spoke to the bot: only one of them has the caption.
    async fn goes_on_with_album(&self, message: &Message) -> Result<bool, StoreError> {
        let Some(album) = &message.album else {
            return Ok(false);
        };
        let (place, account) = (&message.place, &message.speaker.id);
        let mut conn = self.db.read_local().await?;
        inbound_lookup::has_album(&mut conn, place.platform, &place.external_id, account, album).await
    }

    /// Goes on with what a transaction stored, after its commit.
    fn after_commit(&self, outcome: Outcome) -> Accepted {
        for (run, epoch) in outcome.interrupted {
            self.runs.interrupt(run, epoch);
            // One that waited for subagents has no task to say so.
            self.context.delivery.cancelled(run);
        }
        if let Some((ticket, to)) = outcome.answer {
            self.context.delivery.busy(&to, RunId(ticket.message.id.0), 0);
            let id = RunId(ticket.message.id.0);
            self.context.delivery.deliver(ticket);
            self.context.delivery.done(&to, id, 0);
        }
        match outcome.start {
            Some(work) => match work.run.wake_at.filter(|at| *at > self.clock.now()) {
                Some(at) => {
                    if let Some(to) = work.reply_to() {
                        self.context.delivery.busy(&to, work.run.id, work.lease.epoch);
                    }
                    self.runs.start_later(work.lease, at);
                }
                // Busy from the moment in which it has a place.
                None => self.runs.start(*work),
            },
            None if outcome.work_to_claim => self.context.notify.runs.notify_one(),
            None => {}
        }
        outcome.accepted
    }

    /// A configured secret that somebody writes is not even stored, nor a key that was to be given by `/key`.
    fn masked(&self, text: String) -> String {
        let text = match byok::without_secret(&text) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => text,
        };
        match self.context.masker.mask(&text) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => text,
        }
    }

    /// The same of the names of files.
    fn masked_names(&self, attachments: Vec<Attachment>) -> Vec<Attachment> {
        let masked = |attachment: Attachment| Attachment {
            name: attachment.name.map(|name| self.masked(name)),
            ..attachment
        };
        attachments.into_iter().map(masked).collect()
    }

    async fn edit(&self, mut edit: Edit) -> Result<Accepted, StoreError> {
        let now = self.clock.now();
        if !edit.place.kind.is_private() {
            pairing::void_said(&self.db, &edit.text, now).await?;
        }
        edit.text = self.masked(edit.text);
        let (worker, until) = (self.context.worker, now.after(self.context.settings.engine.lease));
        let again = self
            .db
            .write(move |tx| Box::pin(edit::store(tx, edit, worker, until, now)))
            .await?;
        if let Some((lease, not_before)) = again {
            self.runs.interrupt(lease.run, lease.epoch - 1);
            match not_before.filter(|at| *at > now) {
                Some(at) => self.runs.start_later(lease, at),
                None => self.runs.start_held(lease),
            }
        }
        Ok(Accepted::Stored)
    }

    async fn moved(&self, moved: Moved) -> Result<Accepted, StoreError> {
        self.db
            .write(move |tx| Box::pin(async move { channels::moved(tx, moved.platform, &moved.from, &moved.to).await }))
            .await?;
        Ok(Accepted::Stored)
    }

    async fn left(&self, left: Left) -> Result<Accepted, StoreError> {
        let now = self.clock.now();
        self.db
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
}

#[async_trait]
impl Ingress for IngressService {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        let platform = event.platform();
        match Box::pin(self.take(event)).await {
            Ok(accepted) => {
                measures::event_taken(platform, accepted);
                Ok(accepted)
            }
            Err(error) => {
                measures::event_not_taken();
                Err(IngressError::Unavailable(error.to_string()))
            }
        }
    }

    async fn complete(&self, asked: Completion) -> Result<Vec<Choice>, IngressError> {
        let choices = self.choices(&asked).await;
        choices.map_err(|error| IngressError::Unavailable(error.to_string()))
    }

    async fn served(&self, platform: Platform, within: Duration) -> Result<Vec<Served>, IngressError> {
        let since = self.clock.now().before(within);
        let served = async { channels::served(&mut self.db.read().await?, platform, since).await };
        served
            .await
            .map_err(|error: StoreError| IngressError::Unavailable(error.to_string()))
    }

    fn status(&self, platform: Platform, status: ConnectionStatus) {
        measures::connection(platform, &status);
        // A lasting status is logged once.
        let is_news = self.connections.insert(platform, status.clone()).as_ref() != Some(&status);
        match &status {
            ConnectionStatus::Connected(name) if is_news => tracing::info!(%platform, name, "connected"),
            ConnectionStatus::Disconnected(why) if is_news => tracing::warn!(%platform, why, "failed to connect"),
            ConnectionStatus::Connected(_) => tracing::debug!(%platform, "still connected"),
            ConnectionStatus::Disconnected(_) => tracing::debug!(%platform, "still failing to connect"),
        }
    }
}

/// Sends a reply to a chat at once, without a run.
fn answer(
    outbound: &Outbound,
    visit: &Origin,
    channel: &clifford_core::places::Channel,
    text: &str,
    now: Timestamp,
) -> (messages::NewOutbound, Option<(PendingDelivery, To)>) {
    let to = reply(visit, channel);
    let (message, ticket) = outbound.message(to.clone(), text, now);
    (message, ticket.map(|ticket| (ticket, to)))
}

/// Where a visit is answered.
fn reply(visit: &Origin, channel: &clifford_core::places::Channel) -> To {
    To {
        platform: visit.place.platform,
        channel: channel.id,
        context: channel.active_context_id,
        user: None,
        run: None,
        address: visit.address(),
    }
}

/// The role of a first-time speaker. A speaker in an open place gets no access elsewhere by that; a person at this
/// machine, or with a token, is trusted.
fn newcomer(visit: &Origin) -> UserRole {
    if visit.place.platform.is_own() {
        UserRole::Member
    } else {
        UserRole::Stranger
    }
}

/// The person (unless that was looked up already) and the channel of a visit; both are made if they are new.
async fn settle(
    tx: &mut Tx,
    visit: &Origin,
    known: Option<clifford_core::people::User>,
    role: UserRole,
    now: Timestamp,
) -> Result<(clifford_core::people::User, clifford_core::places::Channel), StoreError> {
    let user = match known {
        Some(user) => user,
        None => users::find_or_create(tx, visit.place.platform, &visit.speaker, role, now).await?,
    };
    let person = (visit.place.kind.is_private()).then_some((user.id, visit.speaker.id.as_str()));
    let channel = channels::find_or_create(tx, &visit.place, person, now).await?;
    Ok((user, channel))
}
