//! A question to a person about calls, as it stands in a step.

use serde::{Deserialize, Serialize};

use super::ToolCall;
use crate::{
    clock::Timestamp,
    id::UserId,
    policy::{Reason, trace::Traced},
};

/// A question to a person: may this call be made, exactly as it is?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfirmRequest {
    /// The call.
    pub call: ToolCall,
    /// The aspect of the call that needs approval.
    pub about: ConfirmAbout,
    /// Why it is asked, for whoever reads the trace.
    pub why: String,
    /// The same for its person, in their language. `None`: an earlier version asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// When it counts as denied.
    pub expires_at: Timestamp,
    /// Answering it may make a rule.
    #[serde(default)]
    pub may_be_rule: bool,
    /// Where its arguments come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traced: Vec<Traced>,
    /// Nobody who may asked for it, and others may have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unasked: bool,
    /// The command was announced: then what it concerns, or where it goes, is what nobody asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_announced: bool,
    /// Further calls of the same reply that the answer holds for, in the order in which they are made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Proposal>,
}

/// A further call of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The call.
    pub call: ToolCall,
    /// Why it is asked for, for whoever reads the trace.
    pub why: String,
    /// The same for its person, in their language. `None`: an earlier version asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Where its arguments come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traced: Vec<Traced>,
    /// Nobody who may asked for it, and others may have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unasked: bool,
    /// The command was announced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_announced: bool,
}

impl ConfirmRequest {
    /// Every call that the answer holds for.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        std::iter::once(&self.call).chain(self.also.iter().map(|further| &further.call))
    }
}

/// The aspect of a call that needs approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmAbout {
    /// Whether it is made.
    Call,
    /// Whether what it returned is used where others read along.
    Result,
}

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answerer {
    /// A person.
    User(UserId),
    /// The operator of this Clifford.
    Operator,
    /// Nobody: its time is over.
    Nobody,
}
