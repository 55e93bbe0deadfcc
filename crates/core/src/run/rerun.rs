//! A rerun: a recorded run once more from one of its steps on, by the same fold and the same rules. Pure.
//!
//! The steps before are as they were recorded. From there on replies come in from outside, and everything else that a run
//! does is answered by the `Journal` of the recorded run. A call that stands in no journal is not carried out. A
//! message is only shown then, and the rerun goes on; anything whose outcome the model would read next ends the rerun,
//! because nobody knows that outcome.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    approval,
    decide::{self, Next},
    decision::Decision,
    effects::{After, effects},
    journal::{CallRecord, Journal, sent_text},
    rules::Rules,
    state::{OpenQuestion, Pending, RunState},
    step::{Event, Step, StepKind, ToolCall},
};
use crate::{clock::Timestamp, runs::Run};

/// A step of a rerun.
#[derive(Clone, Debug, PartialEq)]
pub struct RerunStep {
    /// The step, numbered as the recorded ones.
    pub step: Step,
    /// The fate of the effect that it has; `None`: it has none.
    pub effect: Option<Effect>,
}

/// The fate of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Effect {
    /// The recorded run did the same, so it was answered from there.
    Recorded {
        /// The recorded step.
        seq: u32,
    },
    /// The recorded run did not do this, and the rerun does not either.
    WouldHave,
}

/// How a rerun ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum RerunEnd {
    /// As a run does.
    Finished,
    /// It would have done something new, whose outcome nobody knows.
    WouldHave,
    /// It waits for something that the recorded run did not live to see.
    Unanswered,
    /// It could not go on.
    Stopped {
        /// Why.
        why: String,
    },
}

/// The requests of a rerun to models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RerunSpent {
    /// The models that replied, as `provider/model`.
    pub models: BTreeSet<String>,
    /// Model calls.
    pub calls: u32,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// The cost.
    pub cost: f64,
}

impl RerunSpent {
    /// The requests of these steps. A reply that was given is no model's, and names no provider.
    pub fn of(steps: &[Step]) -> Self {
        let replies = steps.iter().filter_map(|step| match &step.kind {
            StepKind::Event(Event::LlmResponse(reply)) if !reply.provider.is_empty() => Some(reply),
            _ => None,
        });
        replies.fold(Self::default(), |mut spent, reply| {
            spent.models.insert(format!("{}/{}", reply.provider, reply.model));
            spent.calls += 1;
            spent.prompt_tokens = spent.prompt_tokens.saturating_add(reply.prompt_tokens_of_all());
            spent.completion_tokens = spent.completion_tokens.saturating_add(reply.completion_tokens_of_all());
            spent.cost += reply.cost_of_all();
            spent
        })
    }
}

/// The next move of a rerun.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// Ask the model.
    Ask,
    /// Decide on a reply.
    Apply(Box<Result<clifford_action::Reply, clifford_action::Unreadable>>),
    /// Decide on the next call of a reply whose first calls were made.
    Queued(ToolCall),
    /// Decide on a call that was approved.
    Approved(ToolCall),
    /// Nothing: it ended.
    Ended,
}

/// A rerun at work.
#[derive(Clone, Debug)]
pub struct Rerun<'a> {
    /// Its knowledge.
    pub state: RunState,
    /// Its steps so far, from the one that it begins at.
    pub steps: Vec<RerunStep>,
    rules: Rules,
    journal: Journal<'a>,
    end: Option<RerunEnd>,
}

/// The step that a rerun begins at: the request whose reply is the first that does not stand wholly before the wanted
/// step; left out: the first request. `None`: the model was never asked.
pub fn begins_at(steps: &[Step], wanted: Option<u32>) -> Option<u32> {
    let mut request = None;
    for step in steps {
        match &step.kind {
            StepKind::Event(Event::LlmRequest { .. }) => request = Some(step.seq),
            StepKind::Event(Event::LlmResponse(_)) if request.is_some() && step.seq >= wanted.unwrap_or(0) => break,
            _ => {}
        }
    }
    request
}

impl<'a> Rerun<'a> {
    /// A run of these rules, taken up before one of its steps.
    pub fn new(run: &Run, rules: Rules, steps: &'a [Step], from: u32) -> Self {
        let before = steps.iter().take_while(|step| step.seq < from);
        Self {
            state: RunState::replay(run, &rules, before),
            steps: Vec::new(),
            journal: Journal::new(run, &rules, steps, from),
            rules,
            end: None,
        }
    }

    /// How it ended, if it did.
    pub const fn end(&self) -> Option<&RerunEnd> {
        self.end.as_ref()
    }

    /// Ends it, unless it has ended.
    pub fn stop(&mut self, end: RerunEnd) {
        self.end.get_or_insert(end);
    }

    /// Whether a call stands in the journal.
    pub fn knows(&self, call: &ToolCall) -> bool {
        self.journal.knows(call)
    }

    /// Takes a step without an effect.
    pub fn push(&mut self, kind: StepKind, now: Timestamp) {
        self.take(kind, None, now);
    }

    fn take(&mut self, kind: StepKind, effect: Option<Effect>, at: Timestamp) {
        let step = Step {
            seq: self.state.next_seq,
            at,
            kind,
        };
        self.state.apply(&step);
        self.steps.push(RerunStep { step, effect });
    }

    fn take_recorded(&mut self, step: &Step) {
        let effect = Effect::Recorded { seq: step.seq };
        self.take(step.kind.clone(), Some(effect), step.at);
    }

    /// Takes what the recorded run heard while it waited. `None`: it never woke.
    fn take_heard(&mut self, heard: Option<Vec<&'a Step>>) {
        match heard {
            Some(heard) => heard.into_iter().for_each(|step| self.take_recorded(step)),
            None => self.stop(RerunEnd::Unanswered),
        }
    }

    /// The next move that is not the journal's. `reads`: whether a command only reads.
    pub fn turn(&mut self, reads: impl Fn(&str) -> bool, now: Timestamp) -> Turn {
        while self.end.is_none() {
            match self.state.pending.clone() {
                Pending::Apply(reply) => return Turn::Apply(reply),
                Pending::Queued(call) => return Turn::Queued(call),
                Pending::Approved(call) => return Turn::Approved(call),
                Pending::Nothing => self.stop(RerunEnd::Finished),
                Pending::Call(call) => self.called(&call, &reads, now),
                Pending::Confirm(asked) => self.asked(&asked),
                Pending::Denied(asked) => {
                    let decision = approval::denied(&self.state, &self.rules, &asked);
                    self.carry_out(decision, now);
                }
                Pending::Wait => self.stop(RerunEnd::Unanswered),
                Pending::Think => {
                    if self.thinks(now) {
                        return Turn::Ask;
                    }
                }
            }
        }
        Turn::Ended
    }

    /// Whether it asks the model now.
    fn thinks(&mut self, now: Timestamp) -> bool {
        let heard = self.journal.news(self.state.iterations + 1, &self.state.children);
        for step in heard {
            self.take_recorded(step);
        }
        match decide::next(&self.state, &self.rules) {
            Next::Think(before) => {
                before.into_iter().for_each(|kind| self.push(kind, now));
                true
            }
            Next::End(decision) => {
                self.carry_out(decision, now);
                false
            }
        }
    }

    /// A call that was taken: its result, or the question whether that may be shown.
    fn called(&mut self, call: &ToolCall, reads: &impl Fn(&str) -> bool, now: Timestamp) {
        let record = self.journal.call(call, reads(&call.name));
        let seq = match record {
            Some(CallRecord::Returned(seq, ..) | CallRecord::HeldBack(seq, _)) => seq,
            None => return self.would_have(),
        };
        self.answered(Effect::Recorded { seq });
        match record {
            Some(CallRecord::Returned(_, step, _)) => self.take_recorded(step),
            Some(CallRecord::HeldBack(_, question)) => {
                let asked = question.clone();
                self.take(StepKind::Event(Event::ConfirmRequest(asked)), None, now);
            }
            None => {}
        }
    }

    /// Marks the effect of the last step.
    fn answered(&mut self, effect: Effect) {
        if let Some(last) = self.steps.last_mut() {
            last.effect = Some(effect);
        }
    }

    fn would_have(&mut self) {
        self.answered(Effect::WouldHave);
        self.stop(RerunEnd::WouldHave);
    }

    /// A question that was taken: the recorded answer to it.
    fn asked(&mut self, asked: &OpenQuestion) {
        let Some(question) = self.journal.question(&asked.request) else {
            return self.would_have();
        };
        self.answered(Effect::Recorded { seq: question });
        let answer = self.journal.answer(&asked.request);
        let Some((
            seq,
            at,
            StepKind::Event(Event::Confirm {
                approved, by, words, ..
            }),
        )) = answer.map(|step| (step.seq, step.at, step.kind.clone()))
        else {
            return self.stop(RerunEnd::Unanswered);
        };
        // The code names a question at its place, which is another one here.
        let answer = Event::Confirm {
            approved,
            code: asked.code.clone(),
            by,
            words,
        };
        self.take(StepKind::Event(answer), Some(Effect::Recorded { seq }), at);
    }

    /// Takes the steps of a decision.
    pub fn carry_out(&mut self, decision: Decision, now: Timestamp) {
        let own = self.state.id;
        // No subagent is created, so none needs an id of its own.
        let mut written = effects(&self.state, &self.rules, decision, || own);
        let last = match written.then {
            After::Sleep(_) | After::AwaitChildren(_) => written.steps.pop(),
            After::Continue | After::End { .. } | After::Call(_) | After::Confirm(_) => None,
        };
        for kind in written.steps {
            self.take_said(kind, now);
        }
        match last {
            Some(kind @ StepKind::Event(Event::Sleep { .. })) => {
                let action = self.state.current.signature.clone();
                let found = self.journal.sleep(action.as_deref());
                self.waits(kind, found, now);
            }
            Some(StepKind::Event(Event::SpawnSubagents { specs, wake_on, .. })) => {
                let found = self.journal.spawn(&specs, wake_on);
                let kind = StepKind::Event(Event::SpawnSubagents {
                    children: Vec::new(),
                    specs,
                    names: BTreeMap::new(),
                    wake_on,
                });
                self.waits(kind, found, now);
            }
            _ => {}
        }
    }

    fn waits(&mut self, kind: StepKind, found: Option<(&'a Step, Option<Vec<&'a Step>>)>, now: Timestamp) {
        match found {
            Some((step, heard)) => {
                self.take_recorded(step);
                self.take_heard(heard);
            }
            None => {
                self.take(kind, None, now);
                self.would_have();
            }
        }
    }

    /// Takes a step, and tells of one that sends words whether the recorded run sent them.
    fn take_said(&mut self, kind: StepKind, now: Timestamp) {
        let words = sent_text(&kind);
        // The end of a run repeats the message that it ended with.
        let repeats = self.steps.last().and_then(|last| sent_text(&last.step.kind)) == words;
        let recorded = self.journal.find_sent(&kind);
        let effect = words.filter(|_| !repeats).map(|_| match recorded {
            Some(seq) => Effect::Recorded { seq },
            None => Effect::WouldHave,
        });
        self.take(kind, effect, now);
    }
}

#[cfg(test)]
mod tests;
