//! The next move of a run, and the call or wait that it was in the middle of.

use clifford_action::{Reply, Unreadable};

use crate::run::step::{ConfirmRequest, ToolCall};

/// The next move of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Pending {
    /// Ask the model.
    Think,
    /// Judge its reply: it was recorded, but not applied.
    Apply(Box<Result<Reply, Unreadable>>),
    /// Call a tool: the call was recorded, its result was not.
    Call(ToolCall),
    /// Judge the next call of the reply whose first calls were made.
    Queued(ToolCall),
    /// Wait for a person to approve a call.
    Confirm(Box<OpenQuestion>),
    /// Make the call that was approved: it was not recorded yet.
    Approved(ToolCall),
    /// Say what becomes of the run: its call was denied.
    Denied(Box<OpenQuestion>),
    /// Sleep, or wait for subagents.
    Wait,
    /// Nothing: it ended.
    Nothing,
}

/// A question that a person is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenQuestion {
    /// The question.
    pub request: ConfirmRequest,
    /// Names it: the same only for this call at this place.
    pub code: String,
    /// Nobody answered in time.
    pub timed_out: bool,
    /// Its person said in words what they want instead.
    pub in_words: bool,
}

/// A permanent failure of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limitation {
    /// `tool.command`.
    pub tool: String,
    /// The error, if the user may read it.
    pub error: Option<String>,
    /// How many actions were refused since.
    pub refusals: u32,
}

/// The record of one iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Iteration {
    /// The action, in canonical form. `None`: there was no iteration, or its reply was unreadable.
    pub signature: Option<String>,
    /// It called a tool, set output, sent a message or waited.
    pub active: bool,
    /// It called a tool, changed the output or sent a message.
    pub changed: bool,
}
