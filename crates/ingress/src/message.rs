//! One message: its person, channel and conversation; a run of its own, or a place in another's.

mod accept_context;
mod attachments;
mod busy;
pub(super) mod limits;
mod words;

use std::{sync::Arc, time::Duration};

use clifford_chat::inbound::Accepted;
use clifford_content::memory::recall;
use clifford_core::{
    access::{self, Entry},
    clock::Timestamp,
    id::{ContextId, MessageId},
    messages::MessageStatus,
    people::User,
    places::{Channel, Mode},
    runs::Run,
};
use clifford_engine::{
    memory::closing,
    work::{Task, Work},
};
use clifford_store::{
    StoreError, Tx,
    contexts::{self, Context},
    inbound_lookup::{self, LookupKey, Plain, Sought},
    memory::prompt_context,
    messages::{self, NewInbound, Queued},
    people::reading,
    places::{agents, channels},
    runs::{self, Lease, NewRun},
};
use clifford_text::Outcome;

pub(super) use self::{
    accept_context::AcceptContext,
    attachments::VOICE,
    words::{spoken, with_attachments},
};
use super::{
    IngressService, Origin, answer, late, newcomer, origin,
    outcome::IngressOutcome,
    pace::Limited,
    pairing, settle,
    unheard::{self, Why},
};

/// How exactly it is kept when something was last said: each message would change it otherwise.
const TO_THE_MINUTE: Duration = Duration::from_secs(60);

/// Whether a run begins regardless of changes since its message was looked up.
#[derive(Clone, Copy)]
enum Begin {
    Surely,
    IfUnchanged,
}

impl IngressService {
    /// Stores a message. The rows that most messages need are looked up alongside the database's one writer, which then
    /// checks them in the statements that it writes; all other rows, and those changed meanwhile, are looked up in the
    /// transaction.
    pub(super) async fn store(&self, accept: AcceptContext) -> Result<IngressOutcome, StoreError> {
        let db = &self.db;
        let found = inbound_lookup::find_plain(&mut db.read_local().await?, accept.sought()).await?;
        let accept = Arc::new(accept);
        let found = found.map(|found| Plain {
            agent: found.agent.clone().in_mode(found.rules.mode),
            ..found
        });
        if let Some(found) = found.filter(|found| accept.is_plain(found)) {
            let plain = Arc::clone(&accept);
            let mode = accept.mode_of(&found.agent, &found.channel);
            let amounts = self.context.settings.amounts(mode);
            let wanted = recall::wanted_soon(found.user.id, &found.channel, found.agent.id, amounts);
            // The prompt's rows are read while the commit waits for the disk.
            let (stored, prompt_context) = tokio::join!(
                db.write(move |tx| Box::pin(async move { plain.store_plain(tx, found).await })),
                async { prompt_context::find(&mut db.read_local().await?, wanted).await },
            );
            match stored {
                Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(error),
                Ok(mut outcome) => {
                    if let Some(work) = &mut outcome.start {
                        // If it could not be read, the run tries again.
                        work.prompt_context = prompt_context.ok();
                    }
                    return Ok(outcome);
                }
            }
        }
        db.write(move |tx| Box::pin(async move { accept.store(tx).await }))
            .await
    }
}

impl AcceptContext {
    /// Stores the message and what becomes of it.
    pub(super) async fn store(&self, tx: &mut Tx) -> Result<IngressOutcome, StoreError> {
        let place = &self.origin.place;
        if self.entry.is_none() && pairing::claims(tx, &self.origin, &self.text).await? {
            return pairing::meet(tx, &self.origin, &self.text, &self.outbound, self.now).await;
        }
        let arrival = inbound_lookup::find(tx, self.sought()).await?;
        let role = arrival.user.as_ref().map(|user| user.role);
        match self
            .entry
            .unwrap_or_else(|| access::entry_here(&self.audience, place, &self.origin.speaker, role, &arrival.rules))
        {
            Entry::Welcome => {}
            Entry::Pair => return pairing::meet(tx, &self.origin, &self.text, &self.outbound, self.now).await,
            Entry::Ignored if self.may_be_told(&arrival.rules) => {
                let is_command = self.origin.via.is_some();
                return pairing::places::meet(tx, &self.origin, &self.outbound, is_command, self.now).await;
            }
            Entry::Ignored => return self.passed_over(tx, None, Why::Unknown).await,
        }
        if !self.is_answered(&arrival.rules, role) {
            let why = Why::of_rules(&arrival.rules, &self.origin.speaker, role);
            return self.passed_over(tx, arrival.user.as_ref(), why).await;
        }
        let is_new = arrival.channel.is_none();
        let (user, channel) = match (arrival.user, arrival.channel) {
            (Some(user), Some(channel)) => {
                let channel = channels::touched(tx, channel, place.name.as_deref(), self.now).await?;
                let channel = channels::placed(tx, channel, place, self.now).await?;
                (self.learned(tx, user).await?, channel)
            }
            (user, _) => settle(tx, &self.origin, user, newcomer(&self.origin), self.now).await?,
        };
        if channel.is_turned_off() {
            return self.passed_over(tx, Some(&user), Why::Silent).await;
        }
        // Two first messages may both have found no channel; by now it is this one's.
        if arrival.is_repeat || (is_new && self.is_repeat(tx, &channel).await?) {
            return Ok(IngressOutcome::of(Accepted::Duplicate));
        }
        match self.limited(tx, &user, &channel).await? {
            Limited::No => {}
            Limited::Tell(over) => {
                let lang = reading::of(tx, Some(&user), Some(channel.id)).await?;
                return self.say(tx, &channel, &unheard::too_fast(over, lang)).await;
            }
            Limited::Silently(over) => return self.passed_over(tx, Some(&user), Why::Limit(over)).await,
        }
        let known = arrival
            .context
            .filter(|known| Some(known.id) == channel.active_context_id);
        let mut active = arrival.active;
        active.retain(|run| run.context_id == channel.active_context_id);
        let (context, active) = self.context(tx, &channel, known, active).await?;
        let channel = Channel {
            active_context_id: Some(context),
            ..channel
        };
        self.follow(tx, &channel).await?;
        let message = self.inbound(&channel, &user, context);
        if self.is_too_old() {
            self.insert(tx, &message, &channel).await?;
            return Ok(IngressOutcome::of(Accepted::Stored));
        }
        let Some(agent) = arrival.agent.map(|agent| agent.in_mode(arrival.rules.mode)) else {
            return self.no_agent(tx, &channel, message).await;
        };
        match self.in_the_way(tx, &active, &channel, &message).await? {
            Some(active) => self.behind(tx, active, message, agent, channel, user).await,
            None => self.beside(tx, message, agent, channel, user).await,
        }
    }

    /// By what is known of it.
    pub(super) fn sought(&self) -> Sought<'_> {
        Sought {
            platform: self.origin.place.platform,
            account: &self.origin.speaker.id,
            place: &self.origin.place.external_id,
            space: self.origin.place.space.as_ref().map(|space| &*space.external_id),
            parent: self.origin.place.parent.as_deref(),
            message: match (&self.id, &self.key) {
                (Some(id), _) => LookupKey::ById(id),
                (None, key) => LookupKey::ByKey(key.as_deref().unwrap_or_default()),
            },
        }
    }

    /// Passes it over; the author of a command is told why.
    async fn passed_over(&self, tx: &mut Tx, user: Option<&User>, why: Why) -> Result<IngressOutcome, StoreError> {
        unheard::passed_over(tx, &self.origin, self.origin.via.is_some(), user, why).await
    }

    /// Whether nothing but a run can become of it, where this is what it found.
    pub(super) fn is_plain(&self, found: &Plain) -> bool {
        let entry = self.entry.unwrap_or_else(|| {
            let (place, speaker) = (&self.origin.place, &self.origin.speaker);
            access::entry_here(&self.audience, place, speaker, Some(found.user.role), &found.rules)
        });
        entry == Entry::Welcome
            && self.is_answered(&found.rules, Some(found.user.role))
            && !(self.entry.is_none() && pairing::may_claim(&self.origin, &self.text))
            && !found.channel.is_turned_off()
            && (found.channel.parent_id.is_some() || self.origin.place.parent.is_none())
            && self.limited == Limited::No
            && self.has_left(found)
            && !self.is_too_old()
            && self.is_fresh(found.last_user_interaction_at)
    }

    /// Stores a [plain](Self::is_plain) message and its run.
    ///
    /// # Errors
    /// [`StoreError::Conflict`]: what was found does not hold any more; nothing was stored.
    pub(super) async fn store_plain(&self, tx: &mut Tx, found: Plain) -> Result<IngressOutcome, StoreError> {
        let Some(context) = found.channel.active_context_id else {
            return Err(StoreError::Conflict("the conversation ended".to_owned()));
        };
        let name = self.origin.place.name.as_deref();
        let before = self.now.before(TO_THE_MINUTE);
        let mut channel = found.channel;
        if channel.last_message_at.is_none_or(|at| at < before)
            || name.is_some_and(|name| channel.name.as_deref() != Some(name))
            || !channel.enabled
        {
            channel = channels::touched(tx, channel, name, self.now).await?;
        }
        self.follow(tx, &channel).await?;
        // Where others write at the same time, this also locks the conversation before its run is made.
        if found.last_user_interaction_at < before || tx.is_postgres() {
            contexts::touch(tx, context, self.now).await?;
        }
        self.count_later(tx, &found.user, &channel).await?;
        let user = self.learned(tx, found.user).await?;
        let message = self.inbound(&channel, &user, context);
        self.begin(tx, message, &[], found.agent, channel, user, Begin::IfUnchanged)
            .await
    }

    /// Its person, with what the platform tells of them today.
    async fn learned(&self, tx: &mut Tx, user: User) -> Result<User, StoreError> {
        origin::learned(tx, user, &self.origin, self.now).await
    }

    /// How it is answered: as its sender wants it, else by chat if its agent or channel does.
    fn mode_of(&self, agent: &agents::Agent, channel: &Channel) -> Mode {
        self.mode.unwrap_or(match agent.mode {
            Mode::Chat => Mode::Chat,
            Mode::Run => channel.mode,
        })
    }

    fn is_too_old(&self) -> bool {
        late::is_too_old(self.backfilled, self.sent_at, self.settings.section.catch_up, self.now)
    }

    /// Somebody spoke in it lately.
    fn is_fresh(&self, last_user_interaction_at: Timestamp) -> bool {
        let auto_close = self.settings.section.auto_close;
        auto_close.is_zero() || last_user_interaction_at >= self.now.before(auto_close)
    }

    fn inbound(&self, channel: &Channel, user: &User, context: ContextId) -> NewInbound {
        let text = with_attachments(&self.text, &self.attachments);
        NewInbound {
            id: MessageId::new(),
            channel_id: channel.id,
            context_id: Some(context),
            user_id: user.id,
            run_id: None,
            content: spoken(channel, &self.called, &text),
            attachments: self.attachments.clone(),
            quote: self.quoted.quote.clone(),
            quoted_user_id: self.quoted.user,
            platform_message_id: self.id.clone(),
            idempotency_key: self.key.clone(),
            request_hash: self.request_hash.clone(),
            album: self.album.clone(),
            status: if self.is_too_old() {
                MessageStatus::History
            } else {
                MessageStatus::Queued
            },
            sent_at: self.sent_at,
        }
    }

    /// Starts a run of its own, held by this worker from the start. It also answers the messages queued in the
    /// conversation.
    #[expect(clippy::too_many_arguments, reason = "all of it was looked up in different ways")]
    async fn begin(
        &self,
        tx: &mut Tx,
        mut message: NewInbound,
        waited: &[Queued],
        agent: agents::Agent,
        channel: Channel,
        user: User,
        begin: Begin,
    ) -> Result<IngressOutcome, StoreError> {
        let window = self.window();
        let task = Task {
            agent: agent.id,
            channel: Some(channel.id),
            user: Some(user.id),
            context: message.context_id,
            mode: self.mode_of(&agent, &channel),
            input: waited
                .iter()
                .map(Queued::as_input)
                .chain([message.asked()])
                .collect::<Vec<_>>()
                .join("\n"),
            address: Some(self.origin.address()),
            platform_roles: self.origin.platform_roles(),
            not_before: (!window.is_zero()).then(|| self.now.after(window)),
        };
        let run = task.into_run(Some((self.worker, self.now.after(self.lease + window))));
        message.run_id = Some(run.id);
        message.status = MessageStatus::Received;
        // The message refers to the run, so the run is first.
        let run = match begin {
            Begin::Surely => {
                let lane = self.lane(tx, &channel, message.context_id).await?;
                runs::insert(tx, &NewRun { lane, ..run }, self.now).await?
            }
            Begin::IfUnchanged => runs::insert_if_unchanged(tx, &run, user.role, self.now).await?,
        };
        self.insert(tx, &message, &channel).await?;
        for waited in waited {
            messages::give_to_run(tx, waited.id, run.id).await?;
        }
        let lease = Lease {
            run: run.id,
            owner: self.worker,
            epoch: run.epoch,
        };
        let work = Work {
            run,
            lease,
            steps: Vec::new(),
            agent,
            channel: Some(channel),
            user: Some(user),
            prompt_context: None,
        };
        Ok(IngressOutcome {
            start: Some(Box::new(work)),
            ..IngressOutcome::of(Accepted::Answering)
        })
    }

    async fn is_repeat(&self, tx: &mut Tx, channel: &Channel) -> Result<bool, StoreError> {
        Ok(match (&self.id, &self.key) {
            (Some(id), _) => messages::by_platform_id(tx, channel.id, id).await?.is_some(),
            (None, Some(key)) => messages::by_key(tx, channel.id, key).await?.is_some(),
            (None, None) => false,
        })
    }

    /// How long to wait for more of the same.
    fn window(&self) -> Duration {
        if self.album.is_some() {
            self.settings.section.album.max(self.settings.section.debounce)
        } else {
            self.settings.section.debounce
        }
    }

    /// The active conversation with the runs at work in it; a new one if there is none, or nobody spoke in it for
    /// long.
    async fn context(
        &self,
        tx: &mut Tx,
        channel: &Channel,
        known: Option<Context>,
        active: Vec<Run>,
    ) -> Result<(ContextId, Vec<Run>), StoreError> {
        let known = match (known, channel.active_context_id) {
            (Some(known), _) => known,
            // Another process began it in this moment.
            (None, Some(id)) => {
                contexts::touch(tx, id, self.now).await?;
                return Ok((id, runs::active_in(tx, id).await?));
            }
            (None, None) => return Ok((contexts::begin(tx, channel, None, self.now).await?, Vec::new())),
        };
        if !self.is_fresh(known.last_user_interaction_at) && runs::unended_in(tx, known.id).await?.is_empty() {
            closing::close(tx, known.id, self.now).await?;
            return Ok((contexts::begin(tx, channel, None, self.now).await?, Vec::new()));
        }
        contexts::touch(tx, known.id, self.now).await?;
        Ok((known.id, active))
    }

    async fn no_agent(
        &self,
        tx: &mut Tx,
        channel: &Channel,
        mut message: NewInbound,
    ) -> Result<IngressOutcome, StoreError> {
        message.status = MessageStatus::History;
        // A retry is answered once there is an agent.
        message.idempotency_key = None;
        self.insert(tx, &message, channel).await?;
        let lang = reading::by_id(tx, Some(message.user_id), Some(channel.id)).await?;
        let outcome = self.say(tx, channel, &lang.say(Outcome::NoAgent)).await?;
        Ok(IngressOutcome {
            no_agent: true,
            ..outcome
        })
    }

    async fn say(&self, tx: &mut Tx, channel: &Channel, text: &str) -> Result<IngressOutcome, StoreError> {
        let (message, pending) = answer(&self.outbound, &self.origin, channel, text, self.now);
        messages::insert_outbound(tx, &message, self.now).await?;
        Ok(IngressOutcome {
            answer: pending,
            ..IngressOutcome::of(Accepted::Answering)
        })
    }
}

/// Makes a conversation of this channel, or of its person in private, the active one, for a caller who names it.
pub(super) async fn choose_context(
    tx: &mut Tx,
    origin: &Origin,
    context: ContextId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (_, channel) = settle(tx, origin, None, newcomer(origin), now).await?;
    let known = contexts::get(tx, context)
        .await?
        .filter(|known| known.may_go_on_in(&channel));
    if known.is_none() {
        return Err(StoreError::NotFound(format!("context {context} in this channel")));
    }
    contexts::touch(tx, context, now).await?;
    channels::set_active_context(tx, channel.id, Some(context)).await
}
