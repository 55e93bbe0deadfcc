//! One commit of a run, and the work of this process after it.

use clifford_chat::outbound::{Button, Mark};
use clifford_core::{
    clock::Timestamp,
    run::{
        effects::{After, Effects},
        step::Step,
    },
    runs::RunStatus,
};
use clifford_delivery::outbound::{Below, PendingDelivery, To};
use clifford_store::messages::{FOREIGN, NewOutbound, REFUSAL};
use clifford_telemetry::{
    failpoint::{self as crash, Point},
    measures, spans,
};
use clifford_text::Outcome;

use serde_json::{Value, json};

use super::{Gone, Session};
use crate::{
    events::RunEvent,
    run::{
        commit::{Commit, Consequences, TakesIn},
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

    /// Writes new steps with all that follows from them, and has this process do its part. `takes_in`: the messages
    /// that came meanwhile become steps, too.
    pub(super) async fn commit_with(&mut self, mut effects: Effects, takes_in: Option<TakesIn>) -> Result<(), Gone> {
        if !effects.children.is_empty() {
            self.tell_what_is_private(&mut effects.children).await?;
        }
        let now = self.cx.clock.now();
        let (messages, deliveries): (Vec<_>, Vec<_>) = self.messages(&effects, now).await?.into_iter().unzip();
        let rest = Rest::after(&effects.then);
        let steps = std::mem::take(&mut self.uncommitted);
        let settlement = self.settlement.take();
        let commit = Commit {
            heard: self.heard.clone(),
            told_once: self.told_once.clone(),
            settlement: settlement.clone(),
            lease: self.work.lease,
            run: self.work.run.clone(),
            steps: steps.clone(),
            takes_in,
            messages,
            children: effects.children,
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
                self.uncommitted = steps;
                self.settlement = settlement;
                return Err(error.into());
            }
        };
        self.heard = None;
        self.told_once = None;
        if settlement.is_some() {
            self.cx.notify.budget.notify_one();
        }
        self.after_commit(&steps, deliveries, rest, consequences);
        Ok(())
    }

    /// The messages of a commit, each with its delivery by this process, if it has one.
    async fn messages(
        &self,
        effects: &Effects,
        now: Timestamp,
    ) -> Result<Vec<(NewOutbound, Option<PendingDelivery>)>, Gone> {
        let mut says = effects.says.iter().map(String::as_str).collect::<Vec<_>>();
        // The steps that say them are applied already.
        let said_before = self.state.sent.len().saturating_sub(says.len());
        if says.is_empty() && !effects.attachments.is_empty() {
            // Files that go by themselves.
            says.push("");
        }
        let mut messages = Vec::new();
        if let (Some(to), false) = (self.work.reply_to(), says.is_empty()) {
            let metadata = self.metadata().await?;
            let last = said_before + says.len() - 1;
            for (number, text) in (said_before..).zip(says) {
                let of_last = (number == last).then_some(effects);
                let (mut message, pending) = self.message(&to, number, text, of_last, now);
                message.metadata = self.with_words(metadata.clone(), text);
                if Rest::after(&effects.then).status == Some(RunStatus::Failed) {
                    message.metadata.get_or_insert_with(|| json!({}))[REFUSAL] = true.into();
                }
                messages.push((message, pending));
            }
        }
        if effects.asks {
            messages.extend(self.question().await?);
        }
        Ok(messages)
    }

    /// One message of the run. The last one of a commit (`of_last`) takes its files along; if the run ends with it, the
    /// person is asked whether it was good.
    fn message(
        &self,
        to: &To,
        number: usize,
        text: &str,
        of_last: Option<&Effects>,
        now: Timestamp,
    ) -> (NewOutbound, Option<PendingDelivery>) {
        let (outbound, run) = (self.cx.delivery.outbound(), self.work.run.id);
        let below = Below {
            buttons: self.buttons_below(number),
            files: of_last.map_or(&[], |effects| effects.attachments.as_slice()),
        };
        let (mut message, mut pending) = outbound.run_message(to.clone(), run, number, text, below, now);
        if of_last.is_some_and(|effects| Rest::after(&effects.then).status == Some(RunStatus::Completed)) {
            outbound.ask_whether_good(to, run, &mut message, pending.as_mut());
        }
        (message, pending)
    }

    /// Goes on with what was committed: applies what was taken in, delivers, and wakes what has work now.
    fn after_commit(
        &mut self,
        steps: &[Step],
        deliveries: Vec<Option<PendingDelivery>>,
        rest: Rest,
        consequences: Consequences,
    ) {
        let mut last_seq = steps.last().map(|step| step.seq);
        for (step, address) in consequences.taken_in {
            self.state.apply(&step);
            last_seq = Some(step.seq);
            self.taken_in.extend(address);
        }
        if !deliveries.iter().all(Option::is_none) {
            crash::reach(Point::MessageRecorded);
        }
        if self.work.run.parent_run_id.is_some() && rest.status.is_some_and(RunStatus::is_ended) {
            crash::reach(Point::ChildEnded);
        }
        if consequences.job_to_do {
            self.cx.notify.jobs.notify_one();
        }
        if let Some((run, lease)) = consequences.follow_up {
            tracing::debug!(run_id = %run.id, "started a follow-up run for messages that arrived meanwhile");
            self.starter.start(lease);
        }
        self.show_progress(steps);
        // A subagent answers nowhere, but its question goes where its root answers.
        for pending in deliveries.into_iter().flatten() {
            self.cx.delivery.deliver(pending);
        }
        self.show_rest(rest);
        if let Some(seq) = last_seq {
            self.cx.events.tell(self.work.run.id, RunEvent::Step(seq));
        }
        if let Some(status) = rest.status {
            self.cx.events.tell(self.work.run.id, RunEvent::Status(status));
            measures::run_rests(status);
            spans::run_rests(&self.span, status);
        }
        if consequences.work_to_claim || rest.status == Some(RunStatus::Waiting) {
            self.cx.notify.runs.notify_one();
        }
    }

    /// Shows in the chat that the run rests. One that waits for subagents is still at work, as its chat sees it.
    fn show_rest(&mut self, rest: Rest) {
        let Some(to) = self.work.reply_to() else { return };
        let Some(status) = rest.status.filter(|_| !rest.is_for_children) else {
            return;
        };
        self.cx.delivery.done(&to, self.work.run.id, self.work.lease.epoch);
        let mark = match status {
            RunStatus::Completed => Some(Mark::Done),
            RunStatus::Failed | RunStatus::Cancelled => Some(Mark::Failed),
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting => None,
        };
        if let Some(mark) = mark {
            self.cx.delivery.mark(&to, mark);
        }
        self.settle_taken_in(&to, mark);
    }
}

/// Whether and how a run rests after a commit.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// Its status, if it rests.
    status: Option<RunStatus>,
    /// It waits for its subagents.
    is_for_children: bool,
}

impl Rest {
    const fn after(then: &After) -> Self {
        Self {
            status: match then {
                After::Continue | After::Call(_) => None,
                After::Sleep(_) | After::AwaitChildren(_) | After::Confirm(_) => Some(RunStatus::Waiting),
                After::End { status, .. } => Some(*status),
            },
            is_for_children: matches!(then, After::AwaitChildren(_)),
        }
    }
}
