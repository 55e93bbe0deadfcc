//! The journal of a run: what its actions led to, which answers a rerun of it. Pure.
//!
//! | the rerun | is answered by | of the recorded run |
//! | --- | --- | --- |
//! | calls a command | the result | of the same command with the same arguments |
//! | asks for approval | the answer | to the question about the same call |
//! | sleeps, or sets a timer | what was heard until it woke | after the same action |
//! | creates subagents | what they returned, and the wake | of the same tasks |
//! | is at an iteration | what its person wrote | before that iteration, as far as it was taken in |
//!
//! Each record answers once, in order, and only those behind the step that the rerun begins at. A command that only reads
//! is an exception: it would return the same again, so any record of it answers, as often as it is called.

use std::collections::{BTreeSet, HashMap};

use clifford_action::WakeOn;
use serde_json::Value;

use super::{
    rules::Rules,
    state::RunState,
    step::{ConfirmRequest, Event, Step, StepKind, ToolCall, ToolResult},
};
use crate::{id::RunId, runs::Run};

/// The records of a run.
#[derive(Clone, Debug)]
pub struct Journal<'a> {
    steps: &'a [Step],
    /// The first step that is no part of the rerun's beginning.
    from: u32,
    /// The iteration that followed each step.
    iterations: HashMap<u32, u32>,
    /// The action that each sleep belonged to, in canonical form.
    sleeps: HashMap<u32, Option<String>>,
    used: BTreeSet<u32>,
}

/// The results of a recorded call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallRecord<'a> {
    /// The steps of the call and of its result.
    Returned(u32, &'a Step, &'a ToolResult),
    /// The step of the call, and the question whether what it returned may be shown.
    HeldBack(u32, &'a ConfirmRequest),
}

impl<'a> Journal<'a> {
    /// The records of a run, for a rerun that begins at a step. The rules are the run's.
    pub fn new(run: &Run, rules: &Rules, steps: &'a [Step], from: u32) -> Self {
        let mut state = RunState::new(run, rules);
        let (mut iterations, mut sleeps) = (HashMap::new(), HashMap::new());
        for step in steps {
            iterations.insert(step.seq, state.iterations + 1);
            if matches!(step.kind, StepKind::Event(Event::Sleep { .. })) {
                sleeps.insert(step.seq, state.current.signature.clone());
            }
            state.apply(step);
        }
        Self {
            steps,
            from,
            iterations,
            sleeps,
            used: BTreeSet::new(),
        }
    }

    /// Whether a call stands in the journal, used or not.
    pub fn knows(&self, call: &ToolCall) -> bool {
        self.calls(call).next().is_some()
    }

    /// The results of a call. `reads`: the command only reads.
    pub fn call(&mut self, call: &ToolCall, reads: bool) -> Option<CallRecord<'a>> {
        let records: Vec<_> = self.calls(call).collect();
        let fresh = records
            .iter()
            .find(|(end, _)| *end >= self.from && !self.used.contains(end));
        let read = || {
            let mut returned = records.iter().rev();
            returned.find(|(_, record)| reads && matches!(record, CallRecord::Returned(..)))
        };
        let (end, record) = *fresh.or_else(read)?;
        self.used.insert(end);
        Some(record)
    }

    /// Every record of a call, with the step at which it ends.
    fn calls<'b>(&'b self, call: &'b ToolCall) -> impl Iterator<Item = (u32, CallRecord<'a>)> + use<'a, 'b> {
        let made = self.steps.iter().enumerate().filter(|(_, step)| match &step.kind {
            StepKind::ToolCall(made) => is_same(made, call),
            _ => false,
        });
        made.filter_map(|(place, step)| {
            let end = self.steps.get(place + 1)?;
            match &end.kind {
                StepKind::ToolResult(result) if result.name == call.name => {
                    Some((end.seq, CallRecord::Returned(step.seq, end, result)))
                }
                StepKind::Event(Event::ConfirmRequest(request)) if is_same(&request.call, call) => {
                    Some((end.seq, CallRecord::HeldBack(step.seq, request)))
                }
                _ => None,
            }
        })
    }

    /// The step in which its person was asked about the same call, if they were.
    pub fn question(&self, asked: &ConfirmRequest) -> Option<u32> {
        self.questions(asked).map(|(step, _)| step.seq).next()
    }

    /// The answer to the question about the same call, if there was one.
    pub fn answer(&mut self, asked: &ConfirmRequest) -> Option<&'a Step> {
        let (question, answer) = self.questions(asked).next()?;
        self.used.insert(question.seq);
        answer
    }

    /// The questions about a call that are not used yet, with their answers.
    fn questions<'b>(
        &'b self,
        asked: &'b ConfirmRequest,
    ) -> impl Iterator<Item = (&'a Step, Option<&'a Step>)> + use<'a, 'b> {
        let asks = |step: &Step| match &step.kind {
            StepKind::Event(Event::ConfirmRequest(known)) => {
                known.about == asked.about && is_same(&known.call, &asked.call)
            }
            _ => false,
        };
        let questions = self.steps.iter().enumerate();
        questions
            .filter(move |(_, step)| step.seq >= self.from && !self.used.contains(&step.seq) && asks(step))
            .map(|(place, step)| {
                let next = self.steps.get(place + 1);
                (
                    step,
                    next.filter(|next| matches!(next.kind, StepKind::Event(Event::Confirm { .. }))),
                )
            })
    }

    /// The step of the sleep that the same action led to, with all that was heard until the run woke.
    pub fn sleep(&mut self, action: Option<&str>) -> Option<(&'a Step, Option<Vec<&'a Step>>)> {
        let (place, step) = self.steps.iter().enumerate().find(|(_, step)| {
            let is_sleep = self.sleeps.get(&step.seq).is_some_and(|of| of.as_deref() == action);
            is_sleep && action.is_some() && step.seq >= self.from && !self.used.contains(&step.seq)
        })?;
        self.used.insert(step.seq);
        Some((step, self.until_woken(place + 1)))
    }

    /// The step in which subagents with the same tasks were created, with all that was heard until they woke the run.
    pub fn spawn(&mut self, specs: &[String], wake_on: WakeOn) -> Option<(&'a Step, Option<Vec<&'a Step>>)> {
        let (place, step) = self.steps.iter().enumerate().find(|(_, step)| match &step.kind {
            StepKind::Event(Event::SpawnSubagents {
                specs: known,
                wake_on: on,
                ..
            }) => known == specs && *on == wake_on && step.seq >= self.from && !self.used.contains(&step.seq),
            _ => false,
        })?;
        self.used.insert(step.seq);
        Some((step, self.until_woken(place + 1)))
    }

    /// The steps from a place on until the run woke. `None`: it did not.
    fn until_woken(&mut self, place: usize) -> Option<Vec<&'a Step>> {
        let mut heard = Vec::new();
        for step in self.steps.get(place..)? {
            match &step.kind {
                StepKind::Event(Event::Wake { .. }) => {
                    heard.push(step);
                    self.used.extend(heard.iter().map(|step| step.seq));
                    return Some(heard);
                }
                StepKind::Event(Event::SubagentEnded { .. } | Event::Tainted { .. } | Event::UserMessage { .. }) => {
                    heard.push(step);
                }
                _ => return None,
            }
        }
        None
    }

    /// The messages of its person, and the results of these subagents, before an iteration.
    pub fn news(&mut self, iteration: u32, children: &BTreeSet<RunId>) -> Vec<&'a Step> {
        let steps: &'a [Step] = self.steps;
        let heard: Vec<_> = steps
            .iter()
            .filter(|step| step.seq >= self.from && !self.used.contains(&step.seq))
            .filter(|step| self.iterations.get(&step.seq).is_some_and(|of| *of <= iteration))
            .filter(|step| match &step.kind {
                StepKind::Event(Event::UserMessage { .. }) => true,
                StepKind::Event(Event::SubagentEnded { run_id, .. }) => children.contains(run_id),
                _ => false,
            })
            .collect();
        self.used.extend(heard.iter().map(|step| step.seq));
        heard
    }

    /// The step in which the same words were sent to the person.
    pub(crate) fn find_sent(&mut self, kind: &StepKind) -> Option<u32> {
        let words = sent_text(kind)?;
        let step = self.steps.iter().find(|step| {
            let is_same = sent_text(&step.kind) == Some(words) && step.kind.type_name() == kind.type_name();
            is_same && step.seq >= self.from && !self.used.contains(&step.seq)
        })?;
        self.used.insert(step.seq);
        Some(step.seq)
    }
}

/// The words that a step sends to a person.
pub(crate) fn sent_text(kind: &StepKind) -> Option<&str> {
    match kind {
        StepKind::AssistantMessage { text, sent: true } => Some(text.trim()),
        StepKind::Finish(finish) => finish.message.as_deref().map(str::trim),
        _ => None,
    }
}

fn is_same(one: &ToolCall, other: &ToolCall) -> bool {
    let args = |call: &ToolCall| clifford_action::canonical(&Value::Object(call.args.clone()));
    one.name == other.name && args(one) == args(other)
}
