//! The decisions of a run: the vocabulary between the rules, which decide, and the effects, which list what to write.

use clifford_action::{SubagentSpec, WakeOn};

use super::step::{ConfirmRequest, EndingKind, StepKind, ToolCall};
use crate::clock::Timestamp;

/// The decision on a reply. `before` is recorded first, in the same commit.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Notes, decisions, output, refusals: record them, then think again.
    Record(Vec<StepKind>),
    /// Call a tool.
    CallTool {
        /// Recorded first.
        before: Vec<StepKind>,
        /// The call.
        call: ToolCall,
    },
    /// Ask a person whether a call may be made.
    Confirm {
        /// Recorded first.
        before: Vec<StepKind>,
        /// The question.
        request: ConfirmRequest,
    },
    /// Send a message.
    Say {
        /// Recorded first.
        before: Vec<StepKind>,
        /// The text.
        text: String,
        /// Whether the run goes on.
        then: Then,
    },
    /// Create subagents and wait for them.
    Spawn {
        /// Recorded first.
        before: Vec<StepKind>,
        /// The subagents.
        children: Vec<SubagentSpec>,
        /// Those of them that wake the run.
        wake_on: WakeOn,
    },
    /// Sleep.
    Wait {
        /// Recorded first.
        before: Vec<StepKind>,
        /// Until when.
        until: Wake,
    },
    /// The run completes.
    Complete {
        /// Recorded first.
        before: Vec<StepKind>,
        /// How.
        ending: Ending,
    },
    /// The run fails.
    Fail {
        /// Recorded first.
        before: Vec<StepKind>,
        /// How.
        failure: Failure,
    },
}

/// The step after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It was progress: think again.
    Continue,
    /// It was the answer, or a question: the run completes.
    Complete,
}

/// When a run wakes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wake {
    /// The first time.
    pub at: Timestamp,
    /// Again and again by this expression.
    pub cron: Option<String>,
    /// Why it sleeps, in the model's words.
    pub reason: Option<String>,
}

/// How a run completes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Why.
    pub kind: EndingKind,
    /// The output buffer: what the run returns.
    pub output: String,
    /// The text sent to the user now; `None`: they have it already.
    pub message: Option<String>,
}

/// How a run fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub kind: EndingKind,
    /// The text sent to the user: a fixed sentence.
    pub message: String,
    /// The error, for the trace and the parent.
    pub error: String,
}
