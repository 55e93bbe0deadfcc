//! A message that arrives while a run is at work in its conversation: it joins, waits, or takes that run's place.

use clifford_chat::inbound::Accepted;
use clifford_core::{
    id::{ContextId, MessageId, RunId, UserId},
    json_text::JsonText,
    messages::MessageStatus,
    people::User,
    places::{Channel, Mode, WhenBusy},
    runs::{CancelReason, Run, RunStatus},
};
use clifford_delivery::outbound::{self, PendingDelivery};
use clifford_engine::run::{cancel, follow_up};
use clifford_store::{
    StoreError, Tx,
    messages::{self, NewInbound, Queued},
    people::reading,
    places::agents::Agent,
    runs::{self, approvals, lanes, steps},
};
use clifford_text::Outcome;

use super::{AcceptContext, Begin, IngressOutcome};
use crate::{awaited, reply};

impl AcceptContext {
    /// The run that a message comes behind: one at work for its author; or any, where as many people are being answered
    /// as the place lets be at the same time. `None`: it is answered at once, alongside those that are at work.
    pub(super) async fn in_the_way<'a>(
        &self,
        tx: &mut Tx,
        active: &'a [Run],
        channel: &Channel,
        message: &NewInbound,
    ) -> Result<Option<&'a Run>, StoreError> {
        let own = active.iter().find(|run| run.user_id == Some(message.user_id));
        if own.is_some() || active.len() >= follow_up::most_at_work(Some(channel), self.defaults.shared_parallel) {
            return Ok(own.or(active.first()));
        }
        // A message that waits already comes first.
        let waits = match message.context_id.filter(|_| !active.is_empty()) {
            Some(context) => messages::queued(tx, context).await?,
            None => Vec::new(),
        };
        let is_next = |waiting: &Queued| active.iter().all(|run| run.user_id != waiting.user_id);
        Ok(active.first().filter(|_| waits.iter().any(is_next)))
    }

    /// The lane of a run that begins in a conversation.
    pub(super) async fn lane(
        &self,
        tx: &mut Tx,
        channel: &Channel,
        context: Option<ContextId>,
    ) -> Result<i64, StoreError> {
        match context.filter(|_| !channel.is_private()) {
            Some(context) => Ok(lanes::free_lane(&lanes::at_work_in(tx, context).await?)),
            None => Ok(0),
        }
    }

    /// The message joins the run at work if that has not begun, takes its place where that is set, or waits: for
    /// the end of the run, or until the run takes it in.
    pub(super) async fn behind(
        &self,
        tx: &mut Tx,
        active: &Run,
        mut message: NewInbound,
        agent: Agent,
        channel: Channel,
        user: User,
    ) -> Result<IngressOutcome, StoreError> {
        let waits = active.status == RunStatus::Pending && active.wake_at.is_some_and(|at| at > self.now);
        // Nobody stops what is done for somebody else.
        let is_same_person = active.user_id == Some(message.user_id);
        // Each is answered where it was asked.
        let is_here = active.channel_id == Some(message.channel_id);
        let joins = waits && !self.window().is_zero() && is_same_person && is_here;
        if !joins && is_same_person && is_here && self.interrupts(tx, active, &channel).await? {
            let mut over = self.given_up(tx, &message).await?;
            over.insert(0, active.id);
            return self.instead(tx, &over, message, agent, channel, user).await;
        }
        if joins {
            message.run_id = Some(active.id);
            message.status = MessageStatus::Received;
        }
        self.insert(tx, &message, &channel).await?;
        // It may have begun in this moment: then the message waits for its end, like any other.
        let not_before = self.now.after(self.window());
        if joins && runs::join(tx, active.id, &message.asked(), not_before, self.now).await? {
            self.resolve_placeholder(tx, message).await?;
        } else {
            self.queue(tx, message.id).await?;
        }
        Ok(IngressOutcome {
            waits: Some(reply(&self.origin, &channel)),
            ..IngressOutcome::of(Accepted::Queued)
        })
    }

    /// Nothing is at work, but a run may wait for its person to approve a call. That blocks nobody, so the message is
    /// answered alongside it; where something else is set, it takes that run's place, or is kept for it.
    pub(super) async fn beside(
        &self,
        tx: &mut Tx,
        message: NewInbound,
        agent: Agent,
        channel: Channel,
        user: User,
    ) -> Result<IngressOutcome, StoreError> {
        if !self.asking(tx, &message).await?.is_empty() {
            match self.defaults.of(tx, channel.space_id, channel.id).await?.when_busy {
                WhenBusy::FollowUp => {}
                WhenBusy::Interrupt => {
                    let over = self.given_up(tx, &message).await?;
                    return self.instead(tx, &over, message, agent, channel, user).await;
                }
                // A message for a direct chat has no place in a run.
                WhenBusy::Steer if self.mode == Some(Mode::Chat) => {}
                WhenBusy::Steer => return self.kept_for(tx, &message, &channel).await,
            }
        }
        self.begin(tx, message, &[], agent, channel, user, Begin::Surely).await
    }

    /// It waits, with where and how it is to be answered.
    async fn queue(&self, tx: &mut Tx, id: MessageId) -> Result<(), StoreError> {
        let roles = self.origin.platform_roles();
        messages::queue(tx, id, &self.origin.address(), self.mode, roles.as_deref()).await
    }

    /// A command that joined a run is answered where that run's first message was written.
    async fn resolve_placeholder(&self, tx: &mut Tx, message: NewInbound) -> Result<(), StoreError> {
        let joined = Queued {
            id: message.id,
            user_id: Some(message.user_id),
            channel_id: message.channel_id,
            content: message.content,
            address: Some(JsonText(self.origin.address())),
            metadata: None,
            quote: None,
        };
        outbound::resolve_placeholder(tx, &joined, Outcome::AnsweredWithEarlier, self.now).await
    }

    /// The runs that wait for an answer of this message's author, where they wrote it.
    async fn asking(&self, tx: &mut Tx, message: &NewInbound) -> Result<Vec<Run>, StoreError> {
        match message.context_id {
            Some(context) => approvals::asking(tx, message.user_id, context, message.channel_id).await,
            None => Ok(Vec::new()),
        }
    }

    /// The runs that are given up for a newer message.
    async fn given_up(&self, tx: &mut Tx, message: &NewInbound) -> Result<Vec<RunId>, StoreError> {
        let mut given_up = Vec::new();
        for run in self.asking(tx, message).await? {
            if !steps::has_slept(tx, run.id).await? {
                given_up.push(run.id);
            }
        }
        Ok(given_up)
    }

    /// Queues a message for the run that asks, which reads it when it goes on. It may have been meant as the answer,
    /// but text does not answer a question: so the person learns how to answer.
    async fn kept_for(
        &self,
        tx: &mut Tx,
        message: &NewInbound,
        channel: &Channel,
    ) -> Result<IngressOutcome, StoreError> {
        self.insert(tx, message, channel).await?;
        self.queue(tx, message.id).await?;
        // The hint about the question is no part of the conversation.
        let aside = Channel {
            active_context_id: None,
            ..channel.clone()
        };
        let lang = reading::by_id(tx, Some(message.user_id), Some(channel.id)).await?;
        self.say(tx, &aside, &lang.say(Outcome::AskedBefore)).await
    }

    /// Whether a message takes the place of the run at work. A run that has slept is never given up: a reminder would
    /// be lost with it.
    async fn interrupts(&self, tx: &mut Tx, active: &Run, channel: &Channel) -> Result<bool, StoreError> {
        let settings = self.defaults.of(tx, channel.space_id, channel.id).await?;
        Ok(settings.when_busy == WhenBusy::Interrupt && !steps::has_slept(tx, active.id).await?)
    }

    /// Cancels the runs at work, or waiting for an answer, with their trees, and starts this message's run at once. The
    /// question of the one before stays in the conversation. Later messages of the same person are asked with this one;
    /// those of others are answered after it.
    async fn instead(
        &self,
        tx: &mut Tx,
        over: &[RunId],
        message: NewInbound,
        agent: Agent,
        channel: Channel,
        user: User,
    ) -> Result<IngressOutcome, StoreError> {
        let (mut interrupted, mut ended) = (Vec::new(), Vec::new());
        for run in over {
            ended.extend(
                runs::get(tx, *run)
                    .await?
                    .filter(|run| awaited::is_awaited(run, message.channel_id)),
            );
            interrupted.extend(cancel::tree(tx, *run, CancelReason::Interrupted, self.now).await?);
        }
        let stopped = self.tell_of_giving_way(tx, ended, message.user_id).await?;
        let mut waited = match message.context_id {
            Some(context) => messages::queued(tx, context).await?,
            None => Vec::new(),
        };
        waited.retain(|waited| waited.channel_id == message.channel_id && waited.user_id == Some(message.user_id));
        for waited in &waited {
            outbound::resolve_placeholder(tx, waited, Outcome::AnsweredWithLater, self.now).await?;
        }
        let outcome = self
            .begin(tx, message, &waited, agent, channel, user, Begin::Surely)
            .await?;
        Ok(IngressOutcome {
            interrupted,
            stopped,
            ..outcome
        })
    }

    /// Says in the places of slash commands that a newer message stands for them; those of others are not asked with
    /// it.
    async fn tell_of_giving_way(
        &self,
        tx: &mut Tx,
        ended: Vec<Run>,
        newer_by: UserId,
    ) -> Result<Vec<PendingDelivery>, StoreError> {
        let way = (self.origin.place.platform, &self.outbound);
        let (own, others): (Vec<_>, Vec<_>) = ended.into_iter().partition(|run| run.user_id == Some(newer_by));
        let mut told = awaited::tell(tx, &own, way, |lang| lang.say(Outcome::LeftForLater), self.now).await?;
        told.extend(awaited::tell(tx, &others, way, |lang| lang.say(Outcome::StoppedBefore), self.now).await?);
        Ok(told)
    }
}
