//! Which model does what, what its calls cost, and what one may cost at most.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use clifford_llm::{
    Circuit, Completion, DEFAULT_MAX_TOKENS, Model, ModelError, Offline, Request, SetupError, Sink, Usage,
};
use clifford_vault::Secret;
use tracing::Instrument;

use crate::{
    budget::Amount,
    own_keys::Own,
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

/// Makes a provider's model for a role, called by somebody's own key.
type Make = Arc<dyn Fn(Role, &Secret) -> Result<Arc<dyn Model>, SetupError> + Send + Sync>;

/// A model that was made: its role, and the hash of its key.
type Made = (&'static str, String);

/// A provider that people may bring a key of their own for.
#[derive(Clone)]
pub struct Keyed {
    name: Arc<str>,
    make: Make,
    /// Those that were made, by role and the key's hash: each has learnt what its server does not know.
    made: Arc<Mutex<HashMap<Made, Arc<dyn Model>>>>,
}

/// The most models that are kept.
const KEPT: usize = 256;

impl Keyed {
    /// A provider, by its name, and how its models are made.
    pub fn new(
        name: &str,
        make: impl Fn(Role, &Secret) -> Result<Arc<dyn Model>, SetupError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            make: Arc::new(make),
            made: Arc::default(),
        }
    }

    /// Its name in the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its model for a role, called by this key and by nothing else.
    ///
    /// # Errors
    /// The key cannot be sent.
    pub fn model(&self, role: Role, key: &Secret) -> Result<Arc<dyn Model>, SetupError> {
        let kept = (role.as_str(), clifford_vault::hash(key.expose()));
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = made.get(&kept) {
            return Ok(Arc::clone(model));
        }
        let model = (self.make)(role, key)?;
        if made.len() >= KEPT {
            made.clear();
        }
        made.insert(kept, Arc::clone(&model));
        Ok(model)
    }
}

/// Who pays for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payer {
    /// The bot, by its own key.
    Bot,
    /// The person whose run it is, by theirs.
    Person,
}

/// The model for a role.
#[derive(Clone)]
pub struct Assigned {
    /// The provider that is asked first.
    pub provider: Option<String>,
    /// Whether its model sees images.
    pub images: bool,
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
    keyed: Vec<Keyed>,
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
            keyed: Vec::new(),
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

    /// The same where it is another provider's turn, whose model for the role nobody noted.
    fn requested_of(&self, role: Role, provider: &str) -> Requested {
        let noted = self.requested(role).filter(|noted| noted.provider == provider);
        noted.cloned().unwrap_or_else(|| Requested {
            provider: provider.to_owned(),
            model: String::new(),
        })
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
        self.ask_by(role, None, request, sink, within).await
    }

    /// The same by somebody's own key, if they have one.
    ///
    /// # Errors
    /// As [`Model::complete`].
    pub async fn ask_by(
        &self,
        role: Role,
        own: Option<&Own>,
        request: &Request,
        sink: &mut dyn Sink,
        within: Duration,
    ) -> Result<Completion, ModelError> {
        let theirs = own.map(|own| self.requested_of(role, &own.provider));
        let model = own.map_or_else(|| self.of(role), |own| &own.model);
        let requested = theirs.as_ref().or_else(|| self.requested(role));
        let span = spans::model_call(role, requested);
        let began = Instant::now();
        let asked = tokio::time::timeout(within, model.complete(request, sink));
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

    /// The same, with the providers that people may bring keys of their own for, in order of preference.
    #[must_use]
    pub fn with_keyed(self, keyed: Vec<Keyed>) -> Self {
        Self { keyed, ..self }
    }

    /// The providers that people may bring keys of their own for.
    pub fn keyed(&self) -> &[Keyed] {
        &self.keyed
    }

    /// Whom to ask for somebody who has keys of their own for these providers: whoever has the role, if they have a
    /// key for it, else the first that they have one for. `None`: for none that there is.
    pub fn keyed_by(&self, role: Role, has_key: impl Fn(&str) -> bool) -> Option<&Keyed> {
        let mut usable = self.keyed.iter().filter(|keyed| has_key(keyed.name()));
        let preferred = self.assigned(role).provider.as_deref();
        let first = usable.clone().find(|keyed| Some(keyed.name()) == preferred);
        first.or_else(|| usable.next())
    }

    /// The provider that is asked first for a role; none: the built-in responder is.
    pub fn provider_of(&self, role: Role) -> Option<&str> {
        self.assigned(role).provider.as_deref()
    }

    /// Whether who has a role is shown images.
    pub fn shows_images(&self, role: Role) -> bool {
        self.assigned(role).images
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
    pub fn charge(&self, role: Role, completion: &Completion, payer: Payer) -> f64 {
        let cost = self.cost(&completion.provider, &completion.usage);
        measures::model_charged(role, completion, if payer == Payer::Bot { cost } else { 0.0 });
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
            provider: None,
            images: false,
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
            provider: None,
            images: false,
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
    fn who_has_a_key_for_the_role_s_provider_uses_that_one_else_the_first_there_is() {
        let assigned = |provider: &str| Assigned {
            provider: Some(provider.to_owned()),
            ..Roles::default().executor
        };
        let keyed = |name| Keyed::new(name, |_, _| Ok(Arc::new(Offline)));
        let others = [(Role::Planner, assigned("c"))];
        let roles =
            Roles::new(assigned("b"), others, BTreeMap::new(), vec![]).with_keyed(["a", "b", "c"].map(keyed).to_vec());
        let cases: [(Role, &[&str], Option<&str>); 6] = [
            (Role::Executor, &["a", "b", "c"], Some("b")),
            (Role::Planner, &["a", "b", "c"], Some("c")),
            (Role::Executor, &["c"], Some("c")),
            (Role::Vision, &["c", "a"], Some("a")),
            (Role::Executor, &["elsewhere"], None),
            (Role::Executor, &[], None),
        ];
        for (role, has, expected) in cases {
            let found = roles.keyed_by(role, |name| has.contains(&name));
            assert_eq!(found.map(Keyed::name), expected, "{role} {has:?}");
        }
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
