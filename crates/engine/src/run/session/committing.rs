//! One commit of a run, and the work of this process after it.

use clifford_chat::outbound::{Button, Mark};
use clifford_core::{
    run::effects::{After, Effects},
    runs::RunStatus,
};
use clifford_delivery::outbound::Below;
use clifford_store::messages::FOREIGN;
use clifford_telemetry::{
    failpoint::{self as crash, Point},
    measures, spans,
};
use clifford_text::Outcome;

use serde_json::Value;

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

    /// The buttons below a message of the run: its calls since the message before can be taken back.
    fn buttons_below(&self, number: usize) -> Vec<Button> {
        let offers = self.state.offers_undo.contains(&number);
        let run = self.work.run.id.0.simple();
        let undo = offers.then(|| Button::new(&self.state.lang.say(Outcome::Undo), format!("undo {run}")));
        undo.into_iter().collect()
    }

    /// The metadata of a message of a run: it tells of one that hands nothing on of the others' words which its prompt
    /// shows.
    fn with_words(&self, metadata: Option<Value>, text: &str) -> Option<Value> {
        // A run that has slept or had subagents has read more of others' words.
        let has_read_more = self.state.looked_through.is_some() || !self.state.specs.is_empty();
        let hands_nothing_on = (self.history.as_ref())
            .is_some_and(|known| self.state.origins.is_subset(&known.0) && !known.1.is_repeated_in(text));
        if has_read_more || !hands_nothing_on {
            return metadata;
        }
        let mut metadata = metadata.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        metadata[FOREIGN] = false.into();
        Some(metadata)
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
        if says.is_empty() && !effects.attachments.is_empty() {
            // Files that go by themselves.
            says.push(String::new());
        }
        let metadata = match says.is_empty() {
            true => None,
            false => self.metadata().await?,
        };
        let is_answer = matches!(
            &effects.then,
            After::End {
                status: RunStatus::Completed,
                ..
            }
        );
        let last = (said_before + says.len()).saturating_sub(1);
        let (mut outbound, mut deliveries): (Vec<_>, Vec<_>) = (said_before..)
            .zip(&says)
            .filter_map(|(number, text)| {
                let run = self.work.run.id;
                let attachments = if number == last {
                    effects.attachments.as_slice()
                } else {
                    &[]
                };
                let below = Below {
                    buttons: self.buttons_below(number),
                    files: attachments,
                };
                let to = to.clone()?;
                let (mut message, mut pending) =
                    (self.cx.delivery.outbound()).run_message(to.clone(), run, number, text, below, now);
                message.metadata = self.with_words(metadata.clone(), text);
                if number == last && is_answer {
                    (self.cx.delivery.outbound()).ask_whether_good(&to, run, &mut message, pending.as_mut());
                }
                Some((message, pending))
            })
            .unzip();
        if effects.asks
            && let Some((message, pending)) = self.question().await?
        {
            outbound.push(message);
            deliveries.push(pending);
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
            heard: self.heard.clone(),
            told_once: self.told_once.clone(),
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
            is_shared: self.work.channel.as_ref().is_some_and(|channel| !channel.is_private()),
            max_turns: i64::from(self.cx.settings.memory.max_turns_per_context),
            is_half_full: self.is_half_full(),
            begins: self.cx.begins(),
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
        self.heard = None;
        self.told_once = None;
        if settlement.is_some() {
            self.cx.notify.budget.notify_one();
        }
        for (step, address) in consequences.taken_in {
            self.state.apply(&step);
            last_seq = Some(step.seq);
            self.taken_in.extend(address);
        }
        if !deliveries.iter().all(Option::is_none) {
            crash::reach(Point::MessageRecorded);
        }
        if is_child_end {
            crash::reach(Point::ChildEnded);
        }
        if consequences.job_to_do {
            self.cx.notify.jobs.notify_one();
        }
        if let Some((run, lease)) = consequences.follow_up {
            tracing::debug!(run_id = %run.id, "started a follow-up run for messages that arrived meanwhile");
            self.starter.start(lease);
        }
        self.show_progress(&kept);
        // A subagent answers nowhere, but its question goes where its root answers.
        for pending in deliveries.into_iter().flatten() {
            self.cx.delivery.deliver(pending);
        }
        if let Some(to) = &to {
            // A run that waits for subagents is still at work, as its chat sees it.
            if status.is_some() && !waits_for_children {
                self.cx.delivery.done(to, self.work.run.id, self.work.lease.epoch);
                let mark = match status {
                    Some(RunStatus::Completed) => Some(Mark::Done),
                    Some(RunStatus::Failed | RunStatus::Cancelled) => Some(Mark::Failed),
                    Some(RunStatus::Pending | RunStatus::Running | RunStatus::Waiting) | None => None,
                };
                if let Some(mark) = mark {
                    self.cx.delivery.mark(to, mark);
                }
                self.settle_taken_in(to, mark);
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
