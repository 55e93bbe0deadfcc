//! Which model does what, what its calls cost, and what one may cost at most.

use std::{
    collections::BTreeMap,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use clifford_llm::{Circuit, Completion, DEFAULT_MAX_TOKENS, Model, ModelError, Offline, Request, Sink, Usage};
use tracing::Instrument;

use crate::{
    budget::Amount,
    store::{
        runs::{Run, RunKind},
        text_enum,
    },
    telemetry::{measures, spans},
};

text_enum! {
    /// What a model is asked for.
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

/// Prices of a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Of a request.
    pub prompt: f64,
    /// Of a request, where the provider had them cached.
    pub cached: f64,
    /// Of a request, where the provider puts them into its cache.
    pub cache_write: f64,
    /// Of a reply.
    pub completion: f64,
}

impl Prices {
    /// What a call costs.
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

/// The model for a role.
#[derive(Clone)]
pub struct Assigned {
    /// The model, with its layers.
    pub model: Arc<dyn Model>,
    /// The dearest prices of those who may answer.
    pub dearest: Prices,
    /// The most tokens of a reply, where one is set.
    pub max_tokens: Option<u32>,
}

/// Who is asked first for a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requested {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model's name.
    pub model: String,
}

/// Every model that is asked for something.
pub struct Roles {
    executor: Assigned,
    requested: BTreeMap<&'static str, Requested>,
    others: BTreeMap<&'static str, Assigned>,
    prices: BTreeMap<String, Prices>,
    circuits: Vec<Arc<Circuit>>,
}

impl Roles {
    /// The executor, which has every role that nothing else is set for; prices by the providers' names; and the
    /// providers' circuits.
    pub fn new(
        executor: Assigned,
        others: impl IntoIterator<Item = (Role, Assigned)>,
        prices: BTreeMap<String, Prices>,
        circuits: Vec<Arc<Circuit>>,
    ) -> Self {
        Self {
            executor,
            requested: BTreeMap::new(),
            others: others.into_iter().map(|(role, model)| (role.as_str(), model)).collect(),
            prices,
            circuits,
        }
    }

    /// The same, with who is asked first for each role, as traces and metrics tell it.
    #[must_use]
    pub fn asking_first(mut self, requested: impl IntoIterator<Item = (Role, Requested)>) -> Self {
        self.requested = (requested.into_iter())
            .map(|(role, requested)| (role.as_str(), requested))
            .collect();
        self
    }

    fn requested(&self, role: Role) -> Option<&Requested> {
        let executor = || self.requested.get(Role::Executor.as_str());
        self.requested.get(role.as_str()).or_else(executor)
    }

    /// Asks the model that has a role, for as long as `within`: a provider may go on writing for ever.
    ///
    /// # Errors
    /// As [`Model::complete`].
    pub async fn ask(
        &self,
        role: Role,
        request: &Request,
        sink: &mut dyn Sink,
        within: Duration,
    ) -> Result<Completion, ModelError> {
        let requested = self.requested(role);
        let span = spans::model_call(role, requested);
        let began = Instant::now();
        let asked = tokio::time::timeout(within, self.of(role).complete(request, sink));
        let reply = asked.instrument(span.clone()).await.unwrap_or_else(|_| {
            Err(ModelError::Overloaded {
                provider: "the model".to_owned(),
                reason: "no reply within max_run_seconds".to_owned(),
            })
        });
        spans::model_replied(&span, requested, &reply);
        measures::model_replied(role, requested, &reply, began.elapsed());
        reply
    }

    fn assigned(&self, role: Role) -> &Assigned {
        self.others.get(role.as_str()).unwrap_or(&self.executor)
    }

    /// The model that has a role.
    pub fn of(&self, role: Role) -> &Arc<dyn Model> {
        &self.assigned(role).model
    }

    /// What a call cost that a provider answered.
    pub fn cost(&self, provider: &str, usage: &Usage) -> f64 {
        self.prices.get(provider).map_or(0.0, |prices| prices.of(usage))
    }

    /// What a call cost, which is counted.
    pub fn charge(&self, role: Role, completion: &Completion) -> f64 {
        let cost = self.cost(&completion.provider, &completion.usage);
        measures::model_charged(role, completion, cost);
        cost
    }

    /// How many tokens a reply may have where what it may cost is held to a budget.
    pub fn longest_reply(&self, role: Role) -> u32 {
        self.assigned(role).max_tokens.unwrap_or(DEFAULT_MAX_TOKENS)
    }

    /// What a call may cost at most: its prompt, all of it written to a cache if that is dearer, and the longest reply.
    pub fn worst_case(&self, role: Role, prompt_tokens: u64, max_tokens: Option<u32>) -> Amount {
        let assigned = self.assigned(role);
        let completion_tokens = max_tokens.unwrap_or_else(|| self.longest_reply(role)).into();
        let mut prices = assigned.dearest;
        prices.prompt = prices.prompt.max(prices.cache_write);
        let usage = Usage {
            prompt_tokens,
            completion_tokens,
            ..Usage::default()
        };
        Amount {
            cost: prices.of(&usage),
            tokens: prompt_tokens + completion_tokens,
        }
    }

    /// The providers, each with whether it is left alone for a while.
    pub fn circuits(&self) -> &[Arc<Circuit>] {
        &self.circuits
    }
}

impl Default for Roles {
    /// The offline responder, for everything.
    fn default() -> Self {
        let executor = Assigned {
            model: Arc::new(Offline),
            dearest: Prices::default(),
            max_tokens: None,
        };
        Self::new(executor, [], BTreeMap::new(), Vec::new())
    }
}

impl fmt::Debug for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roles")
            .field("prices", &self.prices)
            .field("circuits", &self.circuits)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices = Prices {
        prompt: 2.0,
        cached: 0.5,
        cache_write: 2.5,
        completion: 10.0,
    };

    fn near(cost: f64, expected: f64) {
        assert!((cost - expected).abs() < 1e-12, "{cost} instead of {expected}");
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let usage = Usage {
            prompt_tokens: 1000,
            cached_tokens: 600,
            cache_write_tokens: 300,
            completion_tokens: 50,
            estimated: false,
        };
        near(
            PRICES.of(&usage),
            (100.0 * 2.0 + 600.0 * 0.5 + 300.0 * 2.5 + 50.0 * 10.0) / 1e6,
        );
        // A provider that tells nonsense costs nothing less than nothing.
        let odd = Usage {
            cached_tokens: 600,
            ..Usage::default()
        };
        near(PRICES.of(&odd), 600.0 * 0.5 / 1e6);
    }

    #[test]
    fn a_call_is_reckoned_at_its_dearest() {
        let assigned = Assigned {
            model: Arc::new(Offline),
            dearest: PRICES,
            max_tokens: Some(100),
        };
        let roles = Roles::new(assigned, [], BTreeMap::from([("a".to_owned(), PRICES)]), vec![]);
        let worst = roles.worst_case(Role::Memory, 1000, None);
        assert_eq!(worst.tokens, 1100);
        near(worst.cost, (1000.0 * 2.5 + 100.0 * 10.0) / 1e6);
        assert_eq!(roles.worst_case(Role::Executor, 1, Some(7)).tokens, 8);
        near(roles.cost("unknown", &Usage::default()), 0.0);
    }

    #[test]
    fn a_subagent_made_for_planning_plans() {
        let run = |kind, profile: Option<&str>| Run {
            kind,
            profile: profile.map(str::to_owned),
            ..Run::sample()
        };
        let cases = [
            (run(RunKind::Subagent, Some("planner")), Role::Planner),
            (run(RunKind::Subagent, Some("verifier")), Role::Verifier),
            (run(RunKind::Subagent, Some("researcher")), Role::Executor),
            (run(RunKind::Coordinator, Some("planner")), Role::Executor),
        ];
        for (run, role) in cases {
            assert_eq!(Role::of_run(&run), role, "{:?} {:?}", run.kind, run.profile);
        }
    }
}
