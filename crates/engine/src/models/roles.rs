//! The models of the roles, the cost of their calls, and the highest cost of one.

mod prices;
mod window;

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

pub use clifford_core::models::{MOST_TOKENS, Prices};
use clifford_core::{
    budget::Amount,
    models::{Requested, Role, bounded},
};
use clifford_llm::{Circuit, DEFAULT_MAX_TOKENS, Offline, SetupError, Sight};
use clifford_llm_api::model::{Completion, Model, ModelError, Request, Sink, Usage};
use clifford_telemetry::{measures, spans};
use clifford_vault::Secret;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

pub use self::window::Windowed;
use crate::models::{Own, windows::Windows};

/// Makes a provider's model for a role, called by somebody's own key.
type Make = Arc<dyn Fn(Role, &Secret) -> Result<Arc<dyn Model>, SetupError> + Send + Sync>;

/// A model that was made: its role, and the hash of its key.
type Made = (&'static str, String);

/// A provider that people may bring a key of their own for.
#[derive(Clone)]
pub struct Keyed {
    name: Arc<str>,
    make: Make,
    /// The models made so far, by role and the key's hash: each has learnt which features its server lacks.
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

/// The payer of a call.
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
    pub images: Arc<Sight>,
    /// The model, with its layers.
    pub model: Arc<dyn Model>,
    /// The provider's prices for this role's model; for other models its usual ones.
    pub prices: Prices,
    /// The dearest prices of those who may answer.
    pub dearest: Prices,
    /// The most tokens of a reply, where one is set.
    pub max_tokens: Option<u32>,
    /// The windows of those who may answer, in the order in which they are asked.
    pub windows: Vec<Windowed>,
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq)]
pub struct NoReply {
    /// The error.
    pub error: ModelError,
    /// The deadline passed during the call: the provider may charge for it.
    pub timed_out: bool,
}

async fn in_time(own: &Own, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
    let asked = own.model.complete(request, sink);
    let Some(deadline) = request.deadline else {
        return asked.await;
    };
    let replied = timeout_at(Instant::from_std(deadline), asked).await;
    replied.unwrap_or_else(|_| {
        Err(ModelError::Overloaded {
            provider: own.provider.clone(),
            reason: "no reply within max_run_seconds".to_owned(),
        })
    })
}

/// Every model that is asked for something.
pub struct Roles {
    executor: Assigned,
    requested: BTreeMap<&'static str, Requested>,
    others: BTreeMap<&'static str, Assigned>,
    prices: BTreeMap<String, Prices>,
    circuits: Vec<Arc<Circuit>>,
    keyed: Vec<Keyed>,
    windows: Arc<Windows>,
    choices: Vec<ModelChoice>,
}

/// A model that people may choose to be answered by.
#[derive(Clone)]
pub struct ModelChoice {
    /// Its name.
    pub name: String,
    /// Every role, with this model as the executor.
    pub roles: Arc<Roles>,
}

/// The facts of a model before it is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The name by which it is chosen; `None`: it answers unless another is chosen.
    pub name: Option<String>,
    /// The model, and who provides it.
    pub model: Requested,
    /// Its prices.
    pub prices: Prices,
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
            windows: Arc::default(),
            choices: Vec::new(),
        }
    }

    /// The same, with what people may choose instead of the executor.
    #[must_use]
    pub fn choosing(self, choices: Vec<ModelChoice>) -> Self {
        Self { choices, ..self }
    }

    /// The same with another executor.
    pub fn with_executor(&self, executor: Assigned, requested: Option<Requested>) -> Self {
        let mut roles = Self {
            executor,
            requested: self.requested.clone(),
            others: self.others.clone(),
            prices: self.prices.clone(),
            circuits: self.circuits.clone(),
            keyed: self.keyed.clone(),
            windows: Arc::clone(&self.windows),
            choices: Vec::new(),
        };
        let role = Role::Executor.as_str();
        match requested {
            Some(requested) => roles.requested.insert(role, requested),
            None => roles.requested.remove(role),
        };
        roles
    }

    /// The roles where a model was chosen by this name; if there is none of it any more, the usual ones.
    pub fn chosen(&self, name: Option<&str>) -> &Self {
        let choice = name.and_then(|name| self.choices.iter().find(|choice| choice.name == name));
        choice.map_or(self, |choice| &choice.roles)
    }

    /// The usual model and those that may be chosen.
    pub fn offers(&self) -> Vec<Offer> {
        let offer = |name: Option<&str>, roles: &Self| Offer {
            name: name.map(str::to_owned),
            model: roles.requested(Role::Executor).cloned().unwrap_or_else(|| Requested {
                provider: "offline".to_owned(),
                model: "offline".to_owned(),
            }),
            prices: roles.executor.prices,
        };
        let choices = self
            .choices
            .iter()
            .map(|choice| offer(Some(&choice.name), &choice.roles));
        std::iter::once(offer(None, self)).chain(choices).collect()
    }

    /// The same, with what learns how much their models hold.
    #[must_use]
    pub fn learning(self, windows: Windows) -> Self {
        Self {
            windows: Arc::new(windows),
            ..self
        }
    }

    /// The store of learnt context windows.
    pub fn windows(&self) -> &Arc<Windows> {
        &self.windows
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

    /// Asks the model that has a role, or one by somebody's own key, until the request's deadline: a provider may go on
    /// writing for ever.
    ///
    /// # Errors
    /// Why there is no reply, and whether that is because the time was over.
    pub async fn ask(
        &self,
        role: Role,
        own: Option<&Own>,
        request: &Request,
        sink: &mut dyn Sink,
    ) -> Result<Completion, NoReply> {
        let theirs = own.map(|own| self.requested_of(role, &own.provider));
        let requested = theirs.as_ref().or_else(|| self.requested(role));
        let span = spans::model_call(role, requested);
        let began = Instant::now();
        let asked = async {
            match own {
                Some(own) => in_time(own, request, sink).await,
                // The model of a role keeps to the deadline, and knows which limit ran out.
                None => self.of(role).complete(request, sink).await,
            }
        };
        let mut reply = asked.instrument(span.clone()).await;
        if let Ok(completion) = &mut reply {
            completion.usage = bounded(completion.usage);
        }
        if let Err(error) = &reply {
            self.learn(role, error, request);
        }
        // The window of the provider is worth learning, once it has answered.
        self.window(role, own);
        if !request.images.is_empty() {
            self.windows.notify();
        }
        spans::model_replied(&span, requested, &reply);
        measures::model_replied(role, requested, &reply, began.elapsed());
        let is_over = |deadline| Instant::from_std(deadline) <= Instant::now();
        reply.map_err(|error| NoReply {
            error,
            timed_out: request.deadline.is_some_and(is_over),
        })
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

    /// The provider for a person who has keys of their own for these providers: the role's, if they have a key for it,
    /// else the first that they have one for. `None`: for none that is configured.
    pub(crate) fn keyed_by(&self, role: Role, has_key: impl Fn(&str) -> bool) -> Option<&Keyed> {
        let mut usable = self.keyed.iter().filter(|keyed| has_key(keyed.name()));
        let preferred = self.assigned(role).provider.as_deref();
        let first = usable.clone().find(|keyed| Some(keyed.name()) == preferred);
        first.or_else(|| usable.next())
    }

    /// The provider that is asked first for a role; none: the built-in responder is.
    pub(crate) fn provider_of(&self, role: Role) -> Option<&str> {
        self.assigned(role).provider.as_deref()
    }

    /// Whether who has a role is shown images.
    pub(crate) fn shows_images(&self, role: Role) -> bool {
        self.assigned(role).images.is_shown()
    }

    /// Whether there is a model for a role of its own.
    pub fn has(&self, role: Role) -> bool {
        self.others.contains_key(role.as_str())
    }

    fn assigned(&self, role: Role) -> &Assigned {
        self.others.get(role.as_str()).unwrap_or(&self.executor)
    }

    /// The model that has a role.
    pub fn of(&self, role: Role) -> &Arc<dyn Model> {
        &self.assigned(role).model
    }

    /// The cost of a call that a provider answered for a role.
    pub fn cost(&self, role: Role, provider: &str, usage: &Usage) -> f64 {
        let assigned = self.assigned(role);
        let own = (assigned.provider.as_deref() == Some(provider)).then_some(&assigned.prices);
        own.or_else(|| self.prices.get(provider))
            .map_or(0.0, |prices| prices.of(usage))
    }

    /// The cost of a call, which is counted.
    pub fn charge(&self, role: Role, completion: &Completion, payer: Payer) -> f64 {
        let cost = self.cost(role, &completion.provider, &completion.usage);
        measures::model_charged(role, completion, if payer == Payer::Bot { cost } else { 0.0 });
        cost
    }

    /// How many tokens a reply may have where what it may cost is held to a budget. It leaves room for the request.
    pub(crate) fn longest_reply(&self, role: Role) -> u32 {
        let usual = self.assigned(role).max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
        let share = u32::try_from(self.window(role, None) / 4).unwrap_or(u32::MAX);
        usual.min(share)
    }

    /// The most that a call may cost: its prompt, all of it written to a cache if that is dearer, and the longest
    /// reply.
    pub(crate) fn worst_case(&self, role: Role, prompt_tokens: u64, max_tokens: Option<u32>) -> Amount {
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
            tokens: usage.tokens(),
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
            images: Arc::new(Sight::set(false)),
            model: Arc::new(Offline),
            prices: Prices::default(),
            dearest: Prices::default(),
            max_tokens: None,
            windows: Vec::new(),
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
mod tests;
