//! One commit of a run, and what this process does once it is written.

use clifford_core::{
    run::effects::{After, Effects},
    runs::RunStatus,
};
use clifford_telemetry::{
    failpoint::{self as crash, Point},
    measures, spans,
};

use super::{Gone, Session};
use crate::{
    events::RunEvent,
    run::{
        commit::{Commit, TakesIn},
        prompt::Frame,
    },
};

impl Session<'_> {
    pub(super) async fn commit(&mut self, effects: Effects) -> Result<(), Gone> {
        self.commit_with(effects, None).await
    }

    /// Whether the conversation takes more than half of its room in a prompt, as far as this session made one.
    fn is_half_full(&self) -> bool {
        let fill = self.frame.as_ref().and_then(Frame::fill);
        fill.is_some_and(|fill| fill.is_half_full())
    }

    pub(super) async fn commit_with(&mut self, effects: Effects, takes_in: Option<TakesIn>) -> Result<(), Gone> {
        let mut children = effects.children;
        if !children.is_empty() {
            self.tell_what_is_private(&mut children).await?;
        }
        let now = self.cx.clock.now();
        let steps = self.uncommitted.clone();
        let mut last_seq = steps.last().map(|step| step.seq);
        let to = self.work.reply_to();
        let mut says = effects.says;
        // The steps that say them are applied already.
        let said_before = self.state.sent.len().saturating_sub(says.len());
        if says.is_empty() && !effects.encloses.is_empty() {
            // Files that go by themselves.
            says.push(String::new());
        }
        let metadata = match says.is_empty() {
            true => None,
            false => self.metadata().await?,
        };
        let last = (said_before + says.len()).saturating_sub(1);
        let (mut outbound, mut tickets): (Vec<_>, Vec<_>) = (said_before..)
            .zip(&says)
            .filter_map(|(number, text)| {
                let run = self.work.run.id;
                let enclosed = if number == last {
                    effects.encloses.as_slice()
                } else {
                    &[]
                };
                let (mut message, ticket) =
                    (self.cx.outbound).run_message(to.clone()?, run, number, text, enclosed, now);
                message.metadata.clone_from(&metadata);
                Some((message, ticket))
            })
            .unzip();
        if effects.asks
            && let Some((message, ticket)) = self.question().await?
        {
            outbound.push(message);
            tickets.push(ticket);
        }
        let status = match &effects.then {
            After::Continue | After::Call(_) => None,
            After::Sleep(_) | After::AwaitChildren(_) | After::Confirm(_) => Some(RunStatus::Waiting),
            After::End { status, .. } => Some(*status),
        };
        let waits_for_children = matches!(effects.then, After::AwaitChildren(_));
        let is_child_end = self.work.run.parent_run_id.is_some() && status.is_some_and(RunStatus::is_ended);
        let kept = std::mem::take(&mut self.uncommitted);
        let settlement = self.settlement.take();
        let commit = Commit {
            settlement: settlement.clone(),
            lease: self.work.lease,
            run: self.work.run.clone(),
            steps,
            takes_in,
            messages: outbound,
            children,
            then: effects.then,
            time_zone: self.rules.engine.time_zone.clone(),
            catch_up: self.cx.settings.triggers.catch_up,
            origins: self.state.origins.clone(),
            has_trigger: self.state.has_trigger,
            has_children: !self.state.children.is_empty(),
            max_turns: i64::from(self.cx.settings.memory.max_turns_per_context),
            is_half_full: self.is_half_full(),
            lease_for: self.cx.settings.engine.lease,
            now,
        };
        let written = self.cx.db.write(move |tx| Box::pin(commit.write(tx))).await;
        let consequences = match written {
            Ok(consequences) => consequences,
            Err(error) => {
                self.uncommitted = kept;
                self.settlement = settlement;
                return Err(error.into());
            }
        };
        if settlement.is_some() {
            self.cx.notify.budget.notify_one();
        }
        for (step, address) in consequences.taken_in {
            self.state.apply(&step);
            last_seq = Some(step.seq);
            self.taken_in.extend(address);
        }
        if !tickets.iter().all(Option::is_none) {
            crash::reach(Point::MessageRecorded);
        }
        if is_child_end {
            crash::reach(Point::ChildEnded);
        }
        if consequences.job_to_do {
            self.cx.notify.jobs.notify_one();
        }
        if let Some((run, lease)) = consequences.follow_up {
            tracing::debug!(run = %run.id, "started a follow-up run for messages that arrived meanwhile");
            self.starter.start(lease);
        }
        self.show_progress(&kept);
        // A subagent answers nowhere, but its question goes where its root answers.
        for ticket in tickets.into_iter().flatten() {
            self.cx.delivery.deliver(ticket);
        }
        if let Some(to) = &to {
            // A run that waits for subagents is still at work, as its chat sees it.
            if status.is_some() && !waits_for_children {
                self.cx.delivery.done(to, self.work.run.id, self.work.lease.epoch);
                self.settle_taken_in(to);
            }
        }
        if let Some(seq) = last_seq {
            self.cx.events.tell(self.work.run.id, RunEvent::Step(seq));
        }
        if let Some(status) = status {
            self.cx.events.tell(self.work.run.id, RunEvent::Status(status));
            measures::run_rests(status);
            spans::run_rests(&self.span, status);
        }
        if consequences.work_to_claim || status == Some(RunStatus::Waiting) {
            self.cx.notify.runs.notify_one();
        }
        Ok(())
    }
}
