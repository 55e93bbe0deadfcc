//! The state of a run: a fold over its steps, and nothing else.
//!
//! A run that is resumed folds the same steps and so knows the same: transcript, notes, failures, repeats.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet, VecDeque},
    sync::Arc,
};

use clifford_action::{Category, OutputMode, RecoverAction};
use clifford_text::Lang;
use serde_json::{Value, json};

mod answered;
mod asking;
mod beginning;
mod calls;
mod children;
mod noted;
mod pending;

use self::children::Ended;
pub use self::{
    answered::AnswerProgress,
    pending::{Iteration, Limitation, OpenQuestion, Pending},
};
use super::{
    chat, reading,
    rules::Rules,
    step::{ConfirmAbout, EndingKind, Event, Finish, LlmResponse, Step, StepKind, ToolCall},
    transcript::Transcript,
};
use crate::{
    id::{MessageId, RunId},
    places::Mode,
    policy::{
        evidence::Evidence,
        labels::Labels,
        words::{self, Outside},
    },
    runs::{Run, RunKind},
};

/// The state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    /// The run.
    pub id: RunId,
    /// A coordinator speaks to a person, a subagent to its parent.
    pub kind: RunKind,
    /// How it answers.
    pub mode: Mode,
    /// 0: coordinator, 1: subagent, 2: a subagent's subagent.
    pub level: u32,
    /// The language in which its person reads the bot's own sentences.
    pub lang: Lang,
    /// Its input.
    pub input: String,
    /// The only tools it may call, if it is limited.
    pub allowed_tools: Option<Vec<String>>,
    /// The place of the next step.
    pub next_seq: u32,
    /// The next move.
    pub pending: Pending,
    /// How many model calls it may make.
    pub max_iterations: u32,
    /// How many it made; repeats for unreadable replies are not counted.
    pub iterations: u32,
    /// How many unreadable replies came in a row.
    pub bad_replies: u32,
    /// The kinds of notes it has.
    pub notes: HashSet<Category>,
    /// The output buffer.
    pub output: String,
    /// The output buffer was set at least once.
    pub had_output: bool,
    /// The messages it sent, in order.
    pub sent: Vec<String>,
    /// How many of them it had sent when a person last wrote: they answer nothing of that.
    pub sent_before: usize,
    /// A call was made that its person may take back, and no message has offered that yet.
    pub undoable: bool,
    /// The messages that offer to take calls back, by their place among those that it sent.
    pub offers_undo: BTreeSet<usize>,
    /// How much of their answer the person has.
    pub answer: AnswerProgress,
    /// A plan was noted, and its result was not checked since.
    has_open_plan: bool,
    /// How often each tool call (name and canonical arguments) was made since the run woke last; of one that was made before
    /// that alone, no time.
    pub calls: BTreeMap<String, u32>,
    /// How often each command failed since it last worked.
    pub failures: BTreeMap<String, u32>,
    /// A tool failed at least once.
    pub any_tool_failed: bool,
    /// The tool that failed permanently, if one did.
    pub limitation: Option<Limitation>,
    /// The specs of every subagent that was created, in canonical form.
    pub specs: BTreeSet<String>,
    /// How often a spawn held nothing but repeats.
    pub spawn_repeats: u32,
    /// `finish` with nothing to say was refused once.
    pub empty_finish_refused: bool,
    /// A cron expression wakes it.
    pub has_trigger: bool,
    /// Subagents that have not ended.
    pub children: BTreeSet<RunId>,
    /// The names that the run gave its subagents.
    pub child_names: BTreeMap<RunId, String>,
    /// The tasks of the subagents that failed.
    pub failed_tasks: Vec<String>,
    /// A subagent completed.
    pub any_child_completed: bool,
    /// The result of the last subagent that completed.
    pub found: Option<String>,
    /// How long the longest of the last subagents worked: that much is counted.
    pub longest_child_ms: u64,
    /// The system notes that were said; each is said once.
    pub said_notes: BTreeSet<String>,
    /// The iteration at work.
    pub current: Iteration,
    /// How many iterations in a row, before the current one, had no tool call, output or message.
    pub idle: u32,
    /// How many iterations in a row, before the current one, were the same and changed nothing.
    pub same: u32,
    /// The signature of those.
    pub same_signature: Option<String>,
    /// Where what it has read came from, as far as that is outside: since then it is tainted.
    pub origins: BTreeSet<String>,
    /// Its labels: whose words it has read, and who may read what it holds.
    pub labels: Arc<Labels>,
    /// The words of people and of outside sources that the run has read: both are known outside and may go there.
    pub outside: Arc<Outside>,
    /// The texts that it has read, with their authors.
    pub evidence: Arc<Evidence>,
    /// The calls that a person approved last, exactly as they were shown, and what of them.
    pub approved: Vec<(ToolCall, ConfirmAbout)>,
    /// The calls of the reply at work that follow the one at hand.
    pub queue: VecDeque<ToolCall>,
    /// The part of this that the model sees.
    pub transcript: Transcript,
    /// The messages that it took in while it was at work, each with its step.
    pub taken_in: Vec<(MessageId, u32)>,
    /// The provider and model of its last reply.
    pub answered_by: Option<(String, String)>,
    /// That reply ended at the most tokens of one.
    pub is_cut: bool,
    /// Tokens used.
    pub tokens: u64,
    /// Money spent.
    pub cost: f64,
    /// Time worked, in milliseconds: the model's and the tools'.
    pub worked_ms: u64,
    /// Up to which message of its conversation it has looked when it woke last.
    pub looked_through: Option<MessageId>,
    /// The weight of a token that the provider had cached.
    cached_share: f64,
}

impl RunState {
    /// The state after all of a run's steps.
    pub fn replay<'a>(run: &Run, rules: &Rules, steps: impl IntoIterator<Item = &'a Step>) -> Self {
        let mut state = Self::new(run, rules);
        steps.into_iter().for_each(|step| state.apply(step));
        state
    }

    /// Takes one step.
    pub fn apply(&mut self, step: &Step) {
        self.next_seq = step.seq + 1;
        self.answer = answered::after(self, &step.kind);
        self.has_open_plan = answered::plan_after(self, &step.kind);
        match &step.kind {
            StepKind::ToolCall(call) => self.tool_called(call),
            StepKind::ToolResult(result) => {
                self.worked_ms = self.worked_ms.saturating_add(result.duration_ms);
                self.tokens = self.tokens.saturating_add(result.spent.tokens);
                self.cost += result.spent.cost;
                self.tool_answered(result);
            }
            StepKind::AssistantMessage { text, sent } => {
                self.settle();
                if *sent {
                    self.current.active = true;
                    self.current.changed = true;
                    self.says(text);
                }
            }
            StepKind::OutputUpdate { output, mode } => {
                self.settle();
                self.current.active = true;
                self.current.changed |= self.update_output(output, *mode);
                self.had_output = true;
                self.tell("output", json!(self.output));
            }
            StepKind::Decision { .. } => self.settle(),
            StepKind::Note {
                category,
                content,
                plan,
            } => {
                self.settle();
                self.announces(plan);
                self.notes.insert(*category);
                self.transcript.note(*category, content);
            }
            StepKind::Finish(finish) => self.finished(finish),
            StepKind::Event(event) => self.event(event, step),
        }
        Arc::make_mut(&mut self.labels).reads(&self.origins, step.seq);
    }

    fn event(&mut self, event: &Event, step: &Step) {
        match event {
            Event::LlmRequest { holds, .. } => Arc::make_mut(&mut self.labels).shows(holds, step.seq),
            Event::Error { .. } => {}
            Event::StepsDeleted { .. } => self.pending = Pending::Nothing,
            Event::Tainted { origins } => self.origins.extend(origins.iter().cloned()),
            Event::ConfirmRequest(request) => self.asks(request, step.seq),
            Event::Confirm {
                approved,
                code,
                by,
                words,
            } => self.answered(*approved, code, *by, words.as_deref()),
            Event::LlmResponse(response) => self.replied(response),
            Event::SystemNote { text, about } => self.noted(text, *about),
            Event::UserMessage { message_id, text } => {
                self.taken_in.push((*message_id, step.seq));
                Arc::make_mut(&mut self.evidence).person_says(text);
                self.steered(text);
            }
            Event::SpawnSubagents {
                children, specs, names, ..
            } => {
                self.spawned(children, specs);
                self.child_names.extend(names.clone());
            }
            Event::SubagentEnded {
                run_id,
                task,
                status,
                output,
                error,
                origins,
                used,
                readers,
                may_be_undone,
            } => {
                self.undoable |= may_be_undone;
                self.origins.extend(origins.iter().cloned());
                let told = output.as_deref().or(error.as_deref());
                self.hear_child(task, told.unwrap_or_default(), !origins.is_empty());
                Arc::make_mut(&mut self.labels).add_result("a subagent", *readers, step.seq);
                self.child_ended(&Ended {
                    run_id: *run_id,
                    task,
                    status: *status,
                    output: output.as_deref(),
                    error: error.as_deref(),
                    used: *used,
                });
            }
            Event::SetRunLimits { max_iterations, .. } => {
                self.settle();
                self.max_iterations = *max_iterations;
            }
            Event::Sleep { cron, .. } => {
                self.settle();
                self.has_trigger |= cron.is_some();
                self.current.active = true;
                self.pending = Pending::Wait;
            }
            Event::Wake { reason, said, through } => {
                self.looked_through = through.or(self.looked_through);
                self.pending = Pending::Think;
                // Time has passed: the same call may return something else now.
                self.calls.values_mut().for_each(|times| *times = 0);
                self.hear_person(said);
                self.read_meanwhile(said);
                if !said.is_empty() {
                    let said: Vec<_> = (said.iter())
                        .map(|said| json!({ "role": said.role, "content": said.content }))
                        .collect();
                    self.tell("said_while_you_slept", json!(said));
                }
                self.tell("woke", json!({ "reason": reason, "now": step.at }));
            }
            Event::Recover { action, .. } => {
                self.settle();
                if *action == RecoverAction::Retry
                    && let Some(limitation) = self.limitation.take()
                {
                    self.failures.remove(&limitation.tool);
                }
            }
        }
    }

    /// The reply is being applied: it is never asked for again, whatever follows. The calls behind its first one wait for
    /// their turn.
    fn settle(&mut self) {
        if matches!(self.pending, Pending::Apply(_)) {
            self.queue_following();
        }
        if matches!(self.pending, Pending::Apply(_) | Pending::Queued(_)) {
            self.pending = Pending::Think;
            self.bad_replies = 0;
        }
    }

    fn replied(&mut self, response: &LlmResponse) {
        let ended = std::mem::take(&mut self.current);
        if let Some(signature) = ended.signature {
            self.idle = if ended.active { 0 } else { self.idle + 1 };
            self.same = match &self.same_signature {
                _ if ended.changed => 0,
                Some(before) if *before == signature => self.same + 1,
                _ => 1,
            };
            self.same_signature = Some(signature);
        }
        self.iterations += 1;
        let lost = response.tokens_of_all().saturating_sub(response.usage.tokens());
        self.tokens = (self.tokens)
            .saturating_add(counted(&response.usage, self.cached_share))
            .saturating_add(lost);
        self.cost += response.cost_of_all();
        self.worked_ms = self.worked_ms.saturating_add(response.duration_ms);
        self.answered_by = Some((response.provider.clone(), response.model.clone()));
        self.is_cut = response.is_cut;
        let reply = match self.mode {
            Mode::Run => reading::reply(response),
            Mode::Chat => chat::message(response),
        };
        self.current.signature = reply.as_ref().ok().map(|reply| {
            let action = serde_json::to_value(&reply.action).unwrap_or_default();
            clifford_action::canonical(&action)
        });
        let said = match (&reply, response.text.trim().is_empty()) {
            (Ok(reply), true) => reply.to_value().to_string(),
            _ => response.text.clone(),
        };
        self.transcript.reply(&said, self.seq());
        self.pending = Pending::Apply(Box::new(reply));
    }

    /// A person wrote: the model has something new to look at, and what was said before does not answer it.
    fn steered(&mut self, text: &str) {
        self.sent_before = self.sent.len();
        Arc::make_mut(&mut self.outside).learn(text);
        self.origins.extend(words::of_others(text).map(str::to_owned));
        self.empty_finish_refused = false;
        self.idle = 0;
        self.same = 0;
        self.current.active = true;
        self.current.changed = true;
        self.tell("user_message", json!(text));
    }

    fn finished(&mut self, finish: &Finish) {
        self.pending = Pending::Nothing;
        self.output.clone_from(&finish.output);
        // A message of the model has a step of its own.
        if finish.ending != EndingKind::Message
            && let Some(message) = &finish.message
        {
            self.says(message);
        }
    }

    /// Notes a message that was sent. The first one behind a call that may be taken back offers that.
    fn says(&mut self, text: &str) {
        if std::mem::take(&mut self.undoable) {
            self.offers_undo.insert(self.sent.len());
        }
        self.sent.push(text.to_owned());
    }

    fn update_output(&mut self, output: &str, mode: OutputMode) -> bool {
        let changed = joined(&self.output, output, mode);
        let differs = changed != self.output;
        self.output = changed;
        differs
    }

    /// Notes a fact for the model, under the current step.
    fn tell(&mut self, name: &'static str, value: Value) {
        self.transcript.tell(name, value, self.seq());
    }

    /// The place of the step at hand.
    const fn seq(&self) -> u32 {
        self.next_seq.saturating_sub(1)
    }

    /// It answers by one model call, without tools.
    pub fn is_chat(&self) -> bool {
        self.mode == Mode::Chat
    }

    /// The messages sent since a person last wrote.
    pub(crate) fn sent_messages(&self) -> &[String] {
        self.sent.get(self.sent_before..).unwrap_or_default()
    }

    /// Whether it may take in what a person writes now: it has begun, and can still do something about it. Else
    /// that waits for its end.
    pub fn takes_in(&self) -> bool {
        self.kind == RunKind::Coordinator
            && !self.is_chat()
            && self.pending == Pending::Think
            && self.iterations > 0
            && self.iterations + 1 < self.max_iterations
            && self.limitation.is_none()
    }
}

/// The tokens of a call, those that its provider had cached by their share.
pub fn counted(usage: &clifford_llm_api::model::Usage, cached_share: f64) -> u64 {
    let cached = usage.cached_tokens.min(usage.prompt_tokens);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a number of tokens"
    )]
    let share = (cached as f64 * cached_share.clamp(0.0, 1.0)).ceil() as u64;
    (usage.prompt_tokens - cached)
        .saturating_add(share)
        .saturating_add(usage.completion_tokens)
}

/// The output buffer after an update. `append` joins with one newline if the buffer does not end in one.
pub fn joined(buffer: &str, output: &str, mode: OutputMode) -> String {
    match mode {
        OutputMode::Append if !buffer.is_empty() && !buffer.ends_with('\n') => format!("{buffer}\n{output}"),
        OutputMode::Append => format!("{buffer}{output}"),
        OutputMode::Replace => output.to_owned(),
    }
}
