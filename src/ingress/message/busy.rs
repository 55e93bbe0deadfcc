//! A message that arrives while a run is at work in its conversation: it joins, waits, or takes that run's place.

use clifford_channel::Accepted;

use super::{Begin, Outcome, Taken};
use crate::{
    engine::cancel,
    settings::WhenBusy,
    store::{
        StoreError, Tx,
        agents::Agent,
        channels::Channel,
        messages::{self, MessageStatus, NewInbound},
        runs::{self, Run, RunStatus},
        steps,
        users::User,
    },
};

impl Taken {
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
    ) -> Result<Outcome, StoreError> {
        let waits = active.status == RunStatus::Pending && active.wake_at.is_some_and(|at| at > self.now);
        // Nobody stops what is done for somebody else.
        let is_same_person = active.user_id == Some(message.user_id);
        // Each is answered where it was asked.
        let is_here = active.channel_id == Some(message.channel_id);
        let joins = waits && !self.window().is_zero() && is_same_person && is_here;
        if !joins && is_same_person && is_here && self.interrupts(tx, active, &channel).await? {
            return self.instead(tx, active, message, agent, channel, user).await;
        }
        if joins {
            message.run_id = Some(active.id);
            message.status = MessageStatus::Received;
        }
        self.keep(tx, &message, &channel).await?;
        // It may have begun in this moment: then the message waits for its end, like any other.
        let not_before = self.now.after(self.window());
        if !joins || !runs::join(tx, active.id, &message.content, not_before, self.now).await? {
            messages::queue(tx, message.id, &self.visit.address(), self.mode).await?;
        }
        Ok(Outcome::of(Accepted::Queued))
    }

    /// Whether a message takes the place of the run at work. What was put off until its time is never given up: with
    /// it a reminder would be lost.
    async fn interrupts(&self, tx: &mut Tx, active: &Run, channel: &Channel) -> Result<bool, StoreError> {
        let settings = self.defaults.of(tx, channel.space_id, channel.id).await?;
        Ok(settings.when_busy == WhenBusy::Interrupt && !steps::has_slept(tx, active.id).await?)
    }

    /// The run at work is cancelled with its tree, and this message's begins at once. What was asked of the one
    /// before stays in the conversation; what had waited for its end is asked again with this.
    async fn instead(
        &self,
        tx: &mut Tx,
        active: &Run,
        message: NewInbound,
        agent: Agent,
        channel: Channel,
        user: User,
    ) -> Result<Outcome, StoreError> {
        let interrupted = cancel::tree(tx, active.id, "interrupted by a newer message", self.now).await?;
        let mut waited = match message.context_id {
            Some(context) => messages::queued(tx, context).await?,
            None => Vec::new(),
        };
        waited.retain(|waited| waited.channel_id == message.channel_id);
        let outcome = self
            .begin(tx, message, &waited, agent, channel, user, Begin::Surely)
            .await?;
        Ok(Outcome { interrupted, ..outcome })
    }
}
