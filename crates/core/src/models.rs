//! The uses of models, their prices, and the people who asked.

use clifford_llm_api::model::Usage;

use crate::{
    column::text_enum,
    runs::{Run, RunKind},
};

text_enum! {
    /// A use of a model.
    Role {
        /// Answers people.
        Executor = "executor",
        /// Does what a subagent of this profile is asked for.
        Planner = "planner",
        /// Does what a subagent of this profile is asked for.
        Verifier = "verifier",
        /// Decides what is remembered, and sums conversations up.
        Memory = "memory",
        /// Looks at images.
        Vision = "vision",
        /// Writes down what is said.
        Transcription = "transcription",
        /// Speaks answers.
        Speech = "speech",
    }
}

impl Role {
    /// The role that a run's model has: a subagent may be made for planning or verifying.
    pub fn of_run(run: &Run) -> Self {
        match (run.kind, run.profile.as_deref()) {
            (RunKind::Subagent, Some("planner")) => Self::Planner,
            (RunKind::Subagent, Some("verifier")) => Self::Verifier,
            _ => Self::Executor,
        }
    }
}

/// The model asked first for a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requested {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model's name.
    pub model: String,
}

/// Prices of a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Tokens of a request.
    pub prompt: f64,
    /// Tokens of a request that the provider had cached.
    pub cached: f64,
    /// Tokens of a request that the provider puts into its cache.
    pub cache_write: f64,
    /// Tokens of a reply.
    pub completion: f64,
}

/// The most tokens that one call is counted with, of each kind: a provider may report any number, and what is added up
/// must not overflow in 64 bits.
pub const MOST_TOKENS: u64 = 1_000_000_000;

/// The usage that a provider reports for a call, capped at [`MOST_TOKENS`].
pub fn bounded(usage: Usage) -> Usage {
    Usage {
        prompt_tokens: usage.prompt_tokens.min(MOST_TOKENS),
        completion_tokens: usage.completion_tokens.min(MOST_TOKENS),
        cached_tokens: usage.cached_tokens.min(MOST_TOKENS),
        cache_write_tokens: usage.cache_write_tokens.min(MOST_TOKENS),
        ..usage
    }
}

impl Prices {
    /// The cost of a call.
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    pub fn of(&self, usage: &Usage) -> f64 {
        let fresh = usage
            .prompt_tokens
            .saturating_sub(usage.cached_tokens)
            .saturating_sub(usage.cache_write_tokens);
        let parts = [
            (fresh, self.prompt),
            (usage.cached_tokens, self.cached),
            (usage.cache_write_tokens, self.cache_write),
            (usage.completion_tokens, self.completion),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / 1_000_000.0
    }

    /// The dearer of both, token by token.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            prompt: self.prompt.max(other.prompt),
            cached: self.cached.max(other.cached),
            cache_write: self.cache_write.max(other.cache_write),
            completion: self.completion.max(other.completion),
        }
    }
}

text_enum! {
    /// The source of a known window.
    Source {
        /// In the provider's list.
        Listed = "listed",
        /// In a refusal.
        Refused = "refused",
    }
}

text_enum! {
    /// The key by which usage is summed up.
    Grouping {
        /// Each day, in the bot's time zone.
        Day = "day",
        /// Each model of each provider.
        Model = "model",
        /// Each person.
        User = "user",
        /// Each space.
        Space = "space",
        /// Each channel.
        Channel = "channel",
        /// Each role of models.
        Role = "role",
    }
}
