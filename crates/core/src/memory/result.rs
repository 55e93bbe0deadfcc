//! The result of a memory write, kept with its job: the changes applied and refused, with reasons, by person, and the
//! cost of the model. It names items by id and does not repeat their text.

use std::collections::BTreeMap;

use clifford_llm_api::model::Completion;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rules::{Applied, Archived, Skipped, WriteOutcome};
use crate::id::{MessageId, UserId};

/// The progress of a memory write.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Progress {
    /// How many messages were read.
    pub messages: usize,
    /// How many of them the summary covers now.
    pub summarised: usize,
    /// The messages that the model's provider refused to read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
    /// The changes to each person's items.
    pub people: BTreeMap<String, Person>,
    /// The provider that answered last.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// How often the model was asked.
    pub calls: u64,
    /// Tokens of all requests.
    pub prompt_tokens: u64,
    /// Tokens of all replies.
    pub completion_tokens: u64,
    /// The cost of those requests.
    pub cost: f64,
}

/// A message that was passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// The message.
    pub message: MessageId,
    /// Why.
    pub reason: String,
}

/// The changes to one person's items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    /// The changes applied.
    pub applied: Vec<Applied>,
    /// The changes refused, and why.
    pub skipped: Vec<Skipped>,
    /// The items archived for lack of room.
    pub archived: Vec<Archived>,
}

impl Progress {
    /// Goes on from what a job has done.
    pub fn of(result: Option<&Value>) -> Self {
        result
            .and_then(|result| Self::deserialize(result).ok())
            .unwrap_or_default()
    }

    /// Adds what became of a person's items.
    pub fn note(&mut self, user: UserId, outcome: WriteOutcome) {
        let person = self.people.entry(user.to_string()).or_default();
        person.applied.extend(outcome.applied);
        person.skipped.extend(outcome.skipped);
        person.archived.extend(outcome.archived);
    }

    /// Adds a call, and what it cost.
    pub fn count(&mut self, completion: &Completion, cost: f64) {
        let usage = completion.usage;
        self.calls += 1;
        self.provider.clone_from(&completion.provider);
        self.model.clone_from(&completion.model);
        self.prompt_tokens = self.prompt_tokens.saturating_add(usage.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(usage.completion_tokens);
        self.cost += cost;
    }

    /// As it is kept.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
