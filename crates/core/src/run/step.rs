//! The steps of a run: its events, in order, append-only. A run's state is a fold over them.

mod question;
mod reply;

use std::collections::{BTreeMap, BTreeSet};

use clifford_action::{Announced, Category, Importance, OutputMode, RecoverAction, WakeOn};
pub use question::{Answerer, ConfirmAbout, ConfirmRequest, Proposal};
pub use reply::{LlmResponse, LostAttempt};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    clock::Timestamp,
    id::{MessageId, RunId},
    policy::{
        Reason,
        labels::{LabelledSource, Readers},
    },
    run::undo::Undo,
    runs::RunStatus,
};

/// One step of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its place in the run, from 1.
    pub seq: u32,
    /// When it was recorded.
    pub at: Timestamp,
    /// The event.
    pub kind: StepKind,
}

/// The content of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// A tool is about to be called.
    ToolCall(ToolCall),
    /// A tool returned.
    ToolResult(ToolResult),
    /// The model said something to the user.
    AssistantMessage {
        /// The text.
        text: String,
        /// `false`: recorded, but not sent (a repeat, or a subagent's).
        sent: bool,
    },
    /// The output buffer changed.
    OutputUpdate {
        /// The text of the change.
        output: String,
        /// Whether it replaces or extends the buffer.
        mode: OutputMode,
    },
    /// The model decided something.
    Decision {
        /// The content.
        content: String,
        /// How much it matters.
        importance: Importance,
    },
    /// The model noted something.
    Note {
        /// The kind of note.
        category: Category,
        /// The content.
        content: String,
        /// The calls that it announces.
        plan: Vec<Announced>,
    },
    /// The run ended.
    Finish(Finish),
    /// Everything else.
    Event(Event),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// `tool.command`.
    pub name: String,
    /// Its arguments.
    pub args: Map<String, Value>,
    /// The same for every attempt at this very call.
    pub idempotency_key: String,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// `tool.command`.
    pub name: String,
    /// The outcome.
    pub outcome: ToolOutcome,
    /// The outside sources of the content: it is data, whatever it says.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub origins: BTreeSet<String>,
    /// How long it took.
    pub duration_ms: u64,
    /// The tokens and money that it spent on models.
    #[serde(default, skip_serializing_if = "Spent::is_nothing")]
    pub spent: Spent,
    /// How the call is taken back, if it concerned its person alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<Box<Undo>>,
    /// The people who may read it; nothing: as its command tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readers: Option<Readers>,
}

/// The tokens and money spent on models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens of requests and replies.
    pub tokens: u64,
    /// Of those, tokens of replies.
    #[serde(default)]
    pub written: u64,
    /// Money, in the providers' currency.
    pub cost: f64,
}

impl Spent {
    /// Counts another call.
    pub fn add(&mut self, call: &LlmResponse) {
        self.tokens = self.tokens.saturating_add(call.tokens_of_all());
        self.written = self.written.saturating_add(call.completion_tokens_of_all());
        self.cost += call.cost_of_all();
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// The outcome of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum ToolOutcome {
    /// It worked.
    Success {
        /// The result.
        result: Value,
    },
    /// It did not.
    Failure {
        /// Why, for the model.
        error: String,
        /// How many more times this command may be tried.
        retries: u32,
        /// The error may be shown to the user.
        expose: bool,
        /// Policy refused the call, for this reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<Box<Reason>>,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finish {
    /// Completed or failed.
    pub status: RunStatus,
    /// Why it ended.
    pub ending: EndingKind,
    /// The output buffer at the end: what the run returns.
    pub output: String,
    /// The text sent to the user with the ending, if any.
    pub message: Option<String>,
    /// Why it failed, for the trace.
    pub error: Option<String>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndingKind {
    /// The model said `finish`.
    Finish,
    /// A message that needs an answer, or is the answer.
    Message,
    /// No tool call, output or message for several iterations.
    Stall,
    /// The same again and again.
    NoProgress,
    /// The iteration limit.
    Iterations,
    /// `finish` with nothing to say, twice.
    EmptyFinish,
    /// Every subagent asked for had been asked for before, twice.
    SpawnRepeated,
    /// The model asked the user how to go on.
    Recover,
    /// The model's JSON stayed unusable.
    BadReply,
    /// A tool failed permanently and the model would not finish.
    Limitation,
    /// The same tool call a third time.
    ToolRepeated,
    /// A person denied a call, or did not answer in time.
    Denied,
    /// No model answered.
    Model,
    /// A budget of the run is spent.
    Budget,
    /// An error that nothing handled.
    Error,
}

/// The usage of a subagent, with its own subagents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// Tokens, of the prompt and of the completion.
    pub tokens: u64,
    /// Money.
    pub cost: f64,
    /// Time at work, in milliseconds.
    pub ms: u64,
}

/// An event: the step type `message`, told apart by `event` in its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A request to the model, by reference.
    LlmRequest {
        /// How many messages the prompt had.
        messages: usize,
        /// Its size in tokens, by rule of thumb.
        estimated_tokens: u64,
        /// The same by section.
        #[serde(default)]
        sections: Sections,
        /// SHA-256 of the prompt.
        prompt_hash: String,
        /// The whole prompt, if `record_prompts` is on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<Value>,
        /// When retention deleted the recorded prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt_deleted_at: Option<Timestamp>,
        /// The sources of what it shows, as far as no request before told them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holds: Vec<LabelledSource>,
    },
    /// The model's raw reply.
    LlmResponse(LlmResponse),
    /// The engine told the model something.
    SystemNote {
        /// The text.
        text: String,
        /// The purpose.
        about: NoteAbout,
    },
    /// A person wrote while the run was at work, and it takes that in.
    UserMessage {
        /// Their message.
        message_id: MessageId,
        /// The text; in a shared channel with its speaker's name.
        text: String,
    },
    /// Subagents were created.
    SpawnSubagents {
        /// Their runs.
        children: Vec<RunId>,
        /// The canonical form of each of their specs.
        specs: Vec<String>,
        /// The names that the model gave them.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        names: BTreeMap<RunId, String>,
        /// Those of them that wake this run.
        wake_on: WakeOn,
    },
    /// A subagent ended.
    SubagentEnded {
        /// Its run.
        run_id: RunId,
        /// Its task.
        task: String,
        /// How it ended.
        status: RunStatus,
        /// Its result.
        output: Option<String>,
        /// Why it failed.
        error: Option<String>,
        /// Where what it has read came from, as far as that is outside: what it returned may say the same.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        origins: BTreeSet<String>,
        /// Its usage.
        #[serde(default)]
        used: Used,
        /// The people who may read what it returned.
        #[serde(default = "Readers::unknown")]
        readers: Readers,
        /// It made a call that its person may take back.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        may_be_undone: bool,
    },
    /// The initial prompt of the run holds words from outside.
    Tainted {
        /// Where they came from.
        origins: BTreeSet<String>,
    },
    /// The iteration limit changed.
    SetRunLimits {
        /// The new limit.
        max_iterations: u32,
        /// Why, in the model's words.
        reason: Option<String>,
    },
    /// The run sleeps.
    Sleep {
        /// Until when.
        wake_at: Timestamp,
        /// Again and again by this expression.
        cron: Option<String>,
        /// Why, in the model's words.
        reason: Option<String>,
    },
    /// The run was woken.
    Wake {
        /// The messages of its conversation while it waited, oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        said: Vec<ArrivedMessage>,
        /// Up to which message that was looked at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        through: Option<MessageId>,
        /// By what.
        reason: String,
    },
    /// A person is asked to approve a call.
    ConfirmRequest(ConfirmRequest),
    /// The question was answered.
    Confirm {
        /// Approved or not.
        approved: bool,
        /// The question's code: an answer to another question is none.
        code: String,
        /// The source of the answer.
        by: Answerer,
        /// The words by which the run's person denied it: what they want instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// The model recovers from a failure.
    Recover {
        /// From what.
        reason: String,
        /// How.
        action: RecoverAction,
    },
    /// Something went wrong that the model need not know of.
    Error {
        /// The message.
        message: String,
    },
    /// Retention deleted the steps of the run, which has ended: this one stands in their place.
    StepsDeleted {
        /// How many there were.
        steps: u64,
        /// When they were deleted.
        deleted_at: Timestamp,
        /// The run's subagents.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        children: Vec<RunId>,
    },
}

/// When retention deleted the steps of a run. `None`: they are there.
pub fn deleted_at(steps: &[Step]) -> Option<Timestamp> {
    steps.iter().find_map(|step| match &step.kind {
        StepKind::Event(Event::StepsDeleted { deleted_at, .. }) => Some(*deleted_at),
        _ => None,
    })
}

/// A message that arrived while a run waited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivedMessage {
    /// `user`, `assistant`, or `system` for a mark.
    pub role: String,
    /// The text.
    pub content: String,
    /// The run's person wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_own: bool,
    /// The people who may read it, if it is an answer that was made of words which not all may read who read along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readers: Option<Readers>,
}

/// About how many tokens each section of a prompt has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sections {
    /// The agent's prompt, the contract and the rules.
    pub system: u64,
    /// The tools.
    pub tools: u64,
    /// The form that the reply is held to.
    pub schema: u64,
    /// The memories.
    pub memories: u64,
    /// Messages from elsewhere.
    pub cross_channel: u64,
    /// The conversation, and the question.
    pub conversation: u64,
    /// The run's own steps.
    pub transcript: u64,
}

impl Sections {
    /// All of them, in the order of the prompt, by name.
    pub const fn named(&self) -> [(&'static str, u64); 7] {
        [
            ("system", self.system),
            ("tools", self.tools),
            ("schema", self.schema),
            ("memories", self.memories),
            ("cross_channel", self.cross_channel),
            ("conversation", self.conversation),
            ("transcript", self.transcript),
        ]
    }

    /// The whole prompt.
    pub fn total(&self) -> u64 {
        self.named().iter().map(|(_, tokens)| tokens).sum()
    }
}

/// The purpose of a system note. Decides how the fold treats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteAbout {
    /// The reply was no action: it is asked for again, and its call is not counted.
    BadReply,
    /// The last iteration is announced.
    LastIteration,
    /// Refused in the last iteration.
    IterationLimit,
    /// Refused after a tool failed permanently.
    Limitation,
    /// Refused before requirements and plan were noted.
    PlanningGate,
    /// Refused because the arguments of the action cannot be carried out.
    InvalidAction,
    /// Refused because the tool may not be used.
    ToolsAllowed,
    /// Refused because every subagent was a repeat.
    SpawnRepeated,
    /// Refused because subagents of this level spawn nothing.
    Depth,
    /// Refused because there is nothing to send.
    EmptyFinish,
    /// The message was not sent because it is nearly one already sent.
    MessageRepeated,
    /// A message could not be delivered.
    DeliveryFailed,
    /// A person denied a call.
    Denied,
}

impl StepKind {
    /// The step's type, as it stands in the database and in JSON.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
            Self::AssistantMessage { .. } => "assistant_message",
            Self::OutputUpdate { .. } => "output_update",
            Self::Decision { .. } => "decision",
            Self::Note { .. } => "note",
            Self::Finish(_) => "finish",
            Self::Event(_) => "message",
        }
    }
}
