//! A run, as it is stored: kind, status, owner.

pub use clifford_action::WakeOn;
use clifford_chat::role::PlatformRole;
use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    clock::Timestamp,
    column::{text_column, text_enum},
    id::{AgentId, ChannelId, ContextId, RunId, UserId},
    json_text::JsonText,
    places::Mode,
    row::FromRow,
};

text_enum! {
    /// Where a run stands.
    RunStatus {
        /// It waits to be worked on.
        Pending = "pending",
        /// It is worked on.
        Running = "running",
        /// It sleeps, or waits for subagents or a person.
        Waiting = "waiting",
        /// It ended as it should.
        Completed = "completed",
        /// It ended by a failure.
        Failed = "failed",
        /// Somebody stopped it.
        Cancelled = "cancelled",
    }
}

impl RunStatus {
    /// Whether a run may go from this status to another: the table of a run's life, and no other change.
    pub const fn may_become(self, next: Self) -> bool {
        use RunStatus::{Cancelled, Completed, Failed, Pending, Running, Waiting};
        matches!(
            (self, next),
            (Pending, Running | Cancelled)
                | (Running, Pending | Waiting | Completed | Failed | Cancelled)
                | (Waiting, Pending | Cancelled)
        )
    }

    /// Nothing follows it.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

text_enum! {
    /// The audience of a run.
    RunKind {
        /// A person.
        Coordinator = "coordinator",
        /// Its parent.
        Subagent = "subagent",
    }
}

text_enum! {
    /// The event that a waiting run waits for, or that woke it.
    WakeReason {
        /// It sleeps until a time.
        Sleep = "sleep",
        /// Its time came.
        Time = "time",
        /// Its subagents end.
        Subagents = "subagents",
        /// A person decides on a call.
        ToolConfirm = "tool_confirm",
        /// A person has decided.
        ToolConfirmed = "tool_confirmed",
        /// A caller of the API woke it before its time.
        Api = "woken through the API",
    }
}

text_column!(WakeOn);

text_enum! {
    /// Why a run was cancelled, as it stands in its row.
    CancelReason {
        /// By the API or the shell.
        Cancelled = "cancelled",
        /// By `/stop`.
        Stopped = "stopped in chat",
        /// A newer message took its place.
        Interrupted = "interrupted by a newer message",
        /// Its question was edited.
        Edited = "its question was edited",
        /// The run that created a subagent ended.
        ParentEnded = "the run that created it ended",
        /// Everything of its person is erased.
        PersonErased = "its person is erased",
    }
}

text_enum! {
    /// The way of a verdict on an answer.
    GivenBy {
        /// A reaction to the message.
        Reaction = "reaction",
        /// A button below it.
        Button = "button",
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Run)]
pub struct Run {
    /// Its id.
    #[schema(value_type = String)]
    pub id: RunId,
    /// The agent that does it.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// The channel that it came from.
    #[schema(value_type = Option<String>)]
    pub channel_id: Option<ChannelId>,
    /// The person who asked.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// The conversation that it belongs to.
    #[schema(value_type = Option<String>)]
    pub context_id: Option<ContextId>,
    /// The run that created it.
    #[schema(value_type = Option<String>)]
    pub parent_run_id: Option<RunId>,
    /// The coordinator at the top of its tree; itself, if it is one.
    #[schema(value_type = String)]
    pub root_run_id: RunId,
    /// The audience of the run.
    pub kind: RunKind,
    /// 0: coordinator, 1: subagent, 2: a subagent's subagent.
    pub level: u32,
    /// The profile that the run uses.
    pub profile: Option<String>,
    /// How it answers.
    pub mode: Mode,
    /// The question or task.
    pub input_text: String,
    /// The same as data: a subagent's conversation, an API caller's object.
    #[schema(value_type = Option<Object>)]
    pub input_json: Option<JsonText<Json>>,
    /// The result.
    pub output_text: Option<String>,
    /// The only tools it may call, if it is limited.
    #[schema(value_type = Option<Vec<String>>)]
    pub allowed_tools: Option<JsonText<Vec<String>>>,
    /// Where its replies go.
    #[serde(skip)]
    #[schema(ignore)]
    pub address: Option<JsonText<clifford_chat::outbound::Address>>,
    /// The roles that its person had on the platform, where they asked; `None`: not known.
    #[serde(skip)]
    #[schema(ignore)]
    pub platform_roles: Option<JsonText<Vec<PlatformRole>>>,
    /// Where it stands.
    pub status: RunStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// When it wakes; of a pending run: when it may begin.
    #[schema(value_type = Option<String>)]
    pub wake_at: Option<Timestamp>,
    /// The event that it waits for, or that woke it.
    #[schema(value_type = Option<String>)]
    pub wake_reason: Option<WakeReason>,
    /// How often it was claimed: what a worker writes carries it.
    #[serde(skip)]
    #[schema(ignore)]
    pub epoch: i64,
    /// Model calls.
    pub llm_calls: i64,
    /// Tokens sent.
    pub prompt_tokens: i64,
    /// Tokens received.
    pub completion_tokens: i64,
    /// Tokens sent that the provider had cached.
    pub cached_tokens: i64,
    /// The cost.
    pub cost: f64,
    /// When it was made.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String)]
    pub updated_at: Timestamp,
}

/// Fields that the machinery adds to the input of a run that no person asked for, besides its data.
const INTERNAL: [&str; 3] = ["origins", "trigger", "data"];

impl Run {
    /// The data that a program passed along with its question. Input made by the machinery has it under `data`; a
    /// subagent gets nothing but its task.
    pub fn input_data(&self) -> Option<&Json> {
        let given = &self
            .input_json
            .as_ref()
            .filter(|_| self.kind == RunKind::Coordinator)?
            .0;
        match given {
            Json::Null => None,
            Json::Object(fields) if fields.keys().all(|name| INTERNAL.contains(&name.as_str())) => fields.get("data"),
            other => Some(other),
        }
    }

    /// A run, for tests.
    #[doc(hidden)]
    pub fn sample() -> Self {
        let id = RunId::new();
        Self {
            id,
            agent_id: AgentId::new(),
            channel_id: None,
            user_id: None,
            context_id: None,
            parent_run_id: None,
            root_run_id: id,
            kind: RunKind::Coordinator,
            level: 0,
            profile: None,
            mode: Mode::Run,
            input_text: "hello".to_owned(),
            input_json: None,
            output_text: None,
            allowed_tools: None,
            address: None,
            platform_roles: None,
            status: RunStatus::Running,
            error: None,
            wake_at: None,
            wake_reason: None,
            epoch: 1,
            llm_calls: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            cached_tokens: 0,
            cost: 0.0,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    /// Whether it waits for a person who decides on a call.
    pub fn asks(&self) -> bool {
        self.status == RunStatus::Waiting && self.wake_reason == Some(WakeReason::ToolConfirm)
    }

    /// Where its replies go.
    pub fn address(&self) -> Option<&clifford_chat::outbound::Address> {
        self.address.as_ref().map(|address| &address.0)
    }
}
