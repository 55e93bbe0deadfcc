//! The types: every action, its fields and their defaults.
//!
//! The doc comment of each variant of [`Action`] is what the model is told of it: keep them short.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A model's reply: one action, and the notes that came with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The action to carry out.
    #[serde(flatten)]
    pub action: Action,
    /// Notes to be recorded before the action is judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

impl Reply {
    /// The reply as JSON: snake_case, defaults filled in, absent fields left out.
    ///
    /// Reading this form again gives an equal reply.
    pub fn to_value(&self) -> Value {
        // Strings, numbers and maps with string keys: serialising them cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl From<Action> for Reply {
    fn from(action: Action) -> Self {
        Self {
            action,
            notes: Vec::new(),
        }
    }
}

/// One thing that a model wants done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    /// call a tool; you then see its result. name is "tool.command"; then: more calls, for which the user is asked at once
    ToolCall {
        /// The tool and its command.
        #[schemars(length(min = 1))]
        name: String,
        /// The command's arguments.
        #[serde(default)]
        args: Map<String, Value>,
        /// The calls that are made after it, in order, as long as each works.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        then: Vec<Further>,
    },
    /// say something to the user now; a question ends your turn
    SendMessage {
        /// The text, in Markdown.
        #[schemars(length(min = 1))]
        message: String,
        /// Files to go with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        file_ids: Vec<String>,
    },
    /// write the answer that finish will send
    SetOutput {
        /// The text.
        output: String,
        /// Whether it takes the place of the buffer or follows it.
        #[serde(default)]
        mode: OutputMode,
    },
    /// end and send the output to the user
    Finish {
        /// Text for the output buffer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        /// Whether it takes the place of the buffer or follows it. A reply that was read has it if it has `output`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<OutputMode>,
        /// Files to go with the output.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        file_ids: Vec<String>,
    },
    /// record a decision
    Decision {
        /// The decision.
        #[schemars(length(min = 1))]
        content: String,
        /// How much it matters.
        #[serde(default)]
        importance: Importance,
    },
    /// record a note and go on
    Note(Note),
    /// hand a task to a helper and wait for it
    SpawnSubagent {
        /// The helper.
        subagent: SubagentSpec,
        /// When to go on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wake_on: Option<WakeOn>,
    },
    /// the same for several, at the same time
    SpawnSubagents {
        /// The helpers.
        #[schemars(length(min = 1))]
        subagents: Vec<SubagentSpec>,
        /// When to go on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wake_on: Option<WakeOn>,
    },
    /// pause; give one of wake_at (RFC 3339), delay_seconds, cron
    Sleep(Sleep),
    /// ask for more or fewer steps
    SetRunLimits {
        /// How many model calls this run may make.
        #[schemars(range(min = 1))]
        max_iterations: u32,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// after a tool has failed for good
    Recover {
        /// The failure.
        #[schemars(length(min = 1))]
        reason: String,
        /// The action to take about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<RecoverAction>,
        /// The message or question for the user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

impl Action {
    /// The action's `type`, as it stands in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ToolCall { .. } => "tool_call",
            Self::SendMessage { .. } => "send_message",
            Self::SetOutput { .. } => "set_output",
            Self::Finish { .. } => "finish",
            Self::Decision { .. } => "decision",
            Self::Note(_) => "note",
            Self::SpawnSubagent { .. } => "spawn_subagent",
            Self::SpawnSubagents { .. } => "spawn_subagents",
            Self::Sleep(_) => "sleep",
            Self::SetRunLimits { .. } => "set_run_limits",
            Self::Recover { .. } => "recover",
        }
    }
}

/// A further call of a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Further {
    /// The tool and its command.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The command's arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// A note of the model to itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// The subject of the note.
    pub category: Category,
    /// The note.
    #[schemars(length(min = 1))]
    pub content: String,
    /// The calls that are planned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<Announced>,
}

/// A call that is announced before it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Announced {
    /// `tool.command`.
    #[schemars(length(min = 1))]
    pub command: String,
    /// How often it is called at most.
    #[serde(default = "once")]
    #[schemars(range(min = 1))]
    pub at_most: u32,
}

const fn once() -> u32 {
    1
}

/// The subject of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The requirements of the request.
    Requirements,
    /// How it will be done.
    Plan,
    /// Something made on the way.
    Artifact,
    /// How the result was checked.
    Validation,
}

/// The effect of new output on the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputMode {
    /// Takes its place.
    #[default]
    Replace,
    /// Follows it.
    Append,
}

/// How much a decision matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// Little.
    Low,
    /// As usual.
    #[default]
    Normal,
    /// Much.
    High,
}

/// When a run that waits for its subagents goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WakeOn {
    /// When the last of them has ended.
    #[default]
    All,
    /// When the first of them has ended.
    First,
}

impl WakeOn {
    /// The word that stands for it in SQL and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::First => "first",
        }
    }
}

impl fmt::Display for WakeOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TryFrom<String> for WakeOn {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        [Self::All, Self::First]
            .into_iter()
            .find(|on| on.as_str() == text)
            .ok_or_else(|| format!("`{text}` is none of all, first"))
    }
}

/// The model's reaction to a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecoverAction {
    /// Try again.
    Retry,
    /// End with what there is.
    Finish,
    /// Ask the user.
    AskUser,
}

/// A helper to be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubagentSpec {
    /// The name by which its result comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Which kind of helper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The task.
    #[schemars(length(min = 1))]
    pub task: String,
    /// The tools that it may use; absent: as its parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The conversation that it starts with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextMessage>,
}

/// One turn of a subagent's first conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextMessage {
    /// The speaker.
    pub role: ContextRole,
    /// The message.
    pub content: String,
}

/// The speaker of a message in a subagent's first conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextRole {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A pause. Which of the three times are given, and whether they make sense, is for the engine to judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sleep {
    /// When to go on (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<String>,
    /// How long to pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<u64>,
    /// When to go on, again and again: 5 fields, or 6 with seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
