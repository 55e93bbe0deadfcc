//! A reply of the model, and what was paid for it.

use clifford_llm_api::model::{NativeToolCall, Usage};
use serde::{Deserialize, Serialize};

/// A reply of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LlmResponse {
    /// The text as it came.
    pub text: String,
    /// Tool calls in the provider's own form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<NativeToolCall>,
    /// Its usage.
    pub usage: Usage,
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// The price, in the providers' currency.
    pub cost: f64,
    /// How long it took.
    pub duration_ms: u64,
    /// The person paid for it, by a key of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_key: bool,
    /// The attempts before it that gave no reply, and that were paid for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostAttempt>,
    /// It ended at the most tokens of a reply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

/// An attempt that gave no reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LostAttempt {
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// Its usage.
    pub usage: Usage,
    /// The price, in the providers' currency.
    pub cost: f64,
}

impl LlmResponse {
    /// The price with that of the attempts before it.
    pub fn cost_of_all(&self) -> f64 {
        self.cost + self.lost.iter().map(|lost| lost.cost).sum::<f64>()
    }

    /// The tokens of requests, those of the attempts before it among them.
    pub fn prompt_tokens_of_all(&self) -> u64 {
        self.usages()
            .fold(0, |sum, usage| sum.saturating_add(usage.prompt_tokens))
    }

    /// The tokens of what was written, in the attempts before it, too.
    pub fn completion_tokens_of_all(&self) -> u64 {
        self.usages()
            .fold(0, |sum, usage| sum.saturating_add(usage.completion_tokens))
    }

    /// The tokens of requests and replies, with those of the attempts before it.
    pub fn tokens_of_all(&self) -> u64 {
        self.usages().fold(0, |sum, usage| sum.saturating_add(usage.tokens()))
    }

    fn usages(&self) -> impl Iterator<Item = &Usage> {
        std::iter::once(&self.usage).chain(self.lost.iter().map(|lost| &lost.usage))
    }
}
