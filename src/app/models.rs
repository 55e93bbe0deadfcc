//! The models of the configuration, with the layers around them.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc, sync::Arc, time::Duration};

use clifford_config::{self as config, Config, Provider, ProviderKind, RoleModel, Secrets};
use clifford_core::models::{Prices, Requested, Role};
use clifford_engine::{
    models::{
        roles::{Assigned, Keyed, ModelChoice, Roles, Windowed},
        windows::{Entry, Windows},
    },
    run::masked::Masked,
};
use clifford_llm::{
    Anthropic, Candidate, Circuit, CircuitPolicy, Failover, Lessons, Listed, Offline, OpenAi, ProviderConfig,
    RetryPolicy, Retrying, SetupError, Sight, Window, known_sight, shown_url,
};
use clifford_llm_api::model::Model;
use clifford_tools::{Speech, Transcription, WithKey};
use clifford_vault::Secret;

use super::settings::count;

/// The factor for cache writes where no price is set: Anthropic's.
const CACHE_WRITE: f64 = 1.25;

/// The model for each role. Each is followed by the other providers, in their order.
pub(super) fn roles(config: &Config, secrets: &Secrets) -> Result<Roles, SetupError> {
    let builder = Builder::new(config, secrets)?;
    let chosen = &config.llm.roles;
    let usual = RoleModel::default();
    let executor = builder.assigned(chosen.executor.as_ref().unwrap_or(&usual))?;
    let mut others = Vec::new();
    for (role, choice) in [
        (Role::Planner, &chosen.planner),
        (Role::Verifier, &chosen.verifier),
        (Role::Memory, &chosen.memory),
    ] {
        if let Some(choice) = choice {
            others.push((role, builder.assigned(choice)?));
        }
    }
    if let Some(vision) = builder.vision(chosen)? {
        others.push((Role::Vision, vision));
    }
    let first = [
        (Role::Executor, &chosen.executor),
        (Role::Planner, &chosen.planner),
        (Role::Verifier, &chosen.verifier),
        (Role::Memory, &chosen.memory),
        (Role::Vision, &chosen.vision),
    ];
    let first = first.into_iter().filter_map(|(role, choice)| {
        let choice = choice.as_ref().or((role == Role::Executor).then_some(&usual))?;
        Some((role, builder.requested(choice)?))
    });
    let prices = builder.providers.iter().map(|one| (one.name.clone(), prices(one)));
    let roles = Roles::new(executor, others, prices.collect(), builder.circuits.clone());
    let choices: Vec<_> = (config.llm.choices.iter())
        .map(|choice| {
            let role = &choice.role;
            Ok((choice.name.clone(), builder.assigned(role)?, builder.requested(role)))
        })
        .collect::<Result<_, SetupError>>()?;
    let learning = builder.learning();
    let roles = roles
        .with_keyed(builder.keyed(chosen))
        .asking_first(first)
        .learning(learning);
    let choices = choices.into_iter().map(|(name, executor, requested)| ModelChoice {
        name,
        roles: Arc::new(roles.with_executor(executor, requested)),
    });
    let choices = choices.collect();
    Ok(roles.choosing(choices))
}

/// Whether somebody looks at images, as things are set.
pub(crate) fn sees_images(config: &Config) -> bool {
    let providers = &config.llm.providers;
    (providers.iter()).any(|provider| sees(provider, providers, &config.llm.roles))
}

/// The server that writes down what is said, if there is one.
pub(crate) fn transcription(config: &Config, secrets: &Secrets) -> Option<WithKey<Transcription>> {
    Some(WithKey {
        section: config.llm.roles.transcription.clone()?,
        key: secrets.transcription_key.clone(),
    })
}

/// The server that speaks answers, if there is one.
pub(crate) fn speech(config: &Config, secrets: &Secrets) -> Option<WithKey<Speech>> {
    Some(WithKey {
        section: config.llm.roles.speech.clone()?,
        key: secrets.speech_key.clone(),
    })
}

/// Whether a provider looks at images: it says that it can, its model is known for it, or it was chosen for it.
fn sees(provider: &Provider, all: &[Provider], chosen: &config::Roles) -> bool {
    let is_chosen = chosen.vision.as_ref().is_some_and(|choice| {
        let first = all.get(choice.place(all));
        first.is_some_and(|first| first.name == provider.name)
    });
    let is_seeing = || provider.images.or_else(|| known_sight(&provider.model)) == Some(true);
    provider.kind != ProviderKind::Offline && (is_chosen || is_seeing())
}

/// One provider of the configuration, without the layers around it.
pub(crate) fn provider(provider: &Provider, key: Option<&Secret>) -> Result<Arc<dyn Model>, SetupError> {
    let sight = Arc::new(sight(provider));
    remote(provider, key, http_client(provider)?, sight, Arc::default())
}

/// Provider, address and model.
type Server = (String, String, String);

/// The windows learned so far.
type Entries = BTreeMap<Server, Entry>;

struct Builder<'a> {
    providers: &'a [Provider],
    secrets: &'a Secrets,
    policy: RetryPolicy,
    /// By the seconds that a connection may take.
    clients: BTreeMap<u64, reqwest::Client>,
    /// By provider, address and model: whatever it is asked for, and by whom.
    windows: Rc<RefCell<Entries>>,
    /// What calls by the bot's keys learn, whatever a model is asked for.
    lessons: Rc<RefCell<BTreeMap<Server, Arc<Lessons>>>>,
    /// One a provider, whatever it is asked for.
    circuits: Vec<Arc<Circuit>>,
}

impl<'a> Builder<'a> {
    /// The models that look at images: the chosen one, then those of providers that say that they can. `None`: nobody.
    fn vision(&self, chosen: &config::Roles) -> Result<Option<Assigned>, SetupError> {
        let mut providers = Vec::new();
        let mut circuits = Vec::new();
        for (provider, circuit) in self.providers.iter().zip(&self.circuits) {
            if sees(provider, self.providers, chosen) {
                providers.push(Provider {
                    images: Some(true),
                    ..provider.clone()
                });
                circuits.push(Arc::clone(circuit));
            }
        }
        if providers.is_empty() {
            return Ok(None);
        }
        let those = Builder {
            providers: &providers,
            secrets: self.secrets,
            policy: self.policy,
            clients: self.clients.clone(),
            windows: Rc::clone(&self.windows),
            lessons: Rc::clone(&self.lessons),
            circuits,
        };
        let usual = RoleModel::default();
        those.assigned(chosen.vision.as_ref().unwrap_or(&usual)).map(Some)
    }

    fn new(config: &'a Config, secrets: &'a Secrets) -> Result<Self, SetupError> {
        let providers = &config.llm.providers;
        let circuit = |provider: &Provider| Arc::new(Circuit::new(&provider.name, CircuitPolicy::default()));
        let mut clients = BTreeMap::new();
        for provider in providers {
            let seconds = provider.connect_timeout_seconds;
            if let std::collections::btree_map::Entry::Vacant(entry) = clients.entry(seconds) {
                entry.insert(http_client(provider)?);
            }
        }
        Ok(Self {
            providers,
            secrets,
            policy: RetryPolicy {
                attempts: count(config.llm.retries) + 1,
                // Where another can be asked, that one is.
                silence: providers.len() < 2,
                ..RetryPolicy::default()
            },
            clients,
            windows: Rc::default(),
            lessons: Rc::default(),
            circuits: providers.iter().map(circuit).collect(),
        })
    }

    fn requested(&self, choice: &RoleModel) -> Option<Requested> {
        let provider = self.providers.get(choice.place(self.providers))?;
        if provider.kind == ProviderKind::Offline {
            return None;
        }
        Some(Requested {
            provider: provider.name.clone(),
            model: choice.model.as_ref().unwrap_or(&provider.model).clone(),
        })
    }

    fn assigned(&self, choice: &RoleModel) -> Result<Assigned, SetupError> {
        let first = choice.place(self.providers);
        let mut candidates = Vec::new();
        let mut windows = Vec::new();
        let (mut own, mut dearest) = (Prices::default(), Prices::default());
        for (place, (provider, circuit)) in self.providers.iter().zip(&self.circuits).enumerate() {
            let provider = if place == first {
                choice.at(provider)
            } else {
                provider.clone()
            };
            let prices = prices(&provider);
            dearest = dearest.max(prices);
            if place == first {
                own = prices;
            }
            let window = self.window(&provider);
            let candidate = Candidate {
                model: self.layered(&provider)?,
                circuit: Arc::clone(circuit),
                window: (provider.kind != ProviderKind::Offline).then(|| Arc::clone(&window)),
            };
            candidates.push(candidate);
            windows.push(Windowed {
                provider: provider.name.clone(),
                circuit: Arc::clone(circuit),
                window,
            });
        }
        if first < windows.len() {
            let preferred = windows.remove(first);
            windows.insert(0, preferred);
        }
        // No model of the chain answers with more; one without a limit of its own is asked for the usual one.
        let limits = self.providers.iter().map(|provider| provider.max_tokens);
        let max_tokens = limits
            .collect::<Option<Vec<_>>>()
            .and_then(|limits| limits.into_iter().max());
        let model: Arc<dyn Model> = if candidates.is_empty() {
            Arc::new(Offline)
        } else {
            let preferred = candidates.remove(first);
            Arc::new(Failover::new(preferred, candidates))
        };
        Ok(Assigned {
            provider: self.providers.get(first).map(|provider| provider.name.clone()),
            images: (self.providers.get(first)).map_or_else(
                || Arc::new(Sight::set(false)),
                |provider| self.sight(&choice.at(provider)),
            ),
            model: Arc::new(Masked::new(model, Arc::clone(&self.secrets.masker))),
            prices: own,
            dearest,
            max_tokens,
            windows,
        })
    }

    /// The providers that take keys, each with the model that it would have for a role. A call by somebody's own key
    /// is tried again there and goes nowhere else; what becomes of it says nothing of the provider.
    fn keyed(&self, chosen: &config::Roles) -> Vec<Keyed> {
        let keyed = |provider: &Provider| {
            let (provider, chosen) = (provider.clone(), chosen.clone());
            let client = self.clients.get(&provider.connect_timeout_seconds).cloned();
            let policy = RetryPolicy {
                silence: true,
                ..self.policy
            };
            let masker = Arc::clone(&self.secrets.masker);
            let first = self.providers.first().map(|first| first.name.clone());
            Keyed::new(&provider.name.clone(), move |role, key| {
                let choice = chosen.of(role.as_str()).filter(|choice| {
                    let named = choice.provider.as_ref().or(first.as_ref());
                    named == Some(&provider.name)
                });
                let mut provider = choice.map_or_else(|| provider.clone(), |choice| choice.at(&provider));
                if role == Role::Vision {
                    provider.images = Some(true);
                }
                let client = client.clone().map_or_else(|| http_client(&provider), Ok)?;
                let sight = Arc::new(sight(&provider));
                let lessons = Arc::<Lessons>::default();
                let remote = remote(&provider, Some(key), client, sight, Arc::clone(&lessons))?;
                Ok(Arc::new(Masked::new(
                    Arc::new(Retrying::new(remote, policy).sharing(lessons)),
                    Arc::clone(&masker),
                )))
            })
        };
        let takes_keys = self
            .providers
            .iter()
            .filter(|provider| provider.kind != ProviderKind::Offline);
        takes_keys.map(keyed).collect()
    }

    /// A provider that is asked again while its errors are of the passing kind.
    fn layered(&self, provider: &Provider) -> Result<Arc<dyn Model>, SetupError> {
        if provider.kind == ProviderKind::Offline {
            return Ok(Arc::new(Offline));
        }
        let key = self.secrets.provider_keys.get(&provider.name);
        let client = self.clients.get(&provider.connect_timeout_seconds).cloned();
        let client = client.map_or_else(|| http_client(provider), Ok)?;
        let lessons = Arc::clone(self.lessons.borrow_mut().entry(server(provider)).or_default());
        let remote = remote(provider, key, client, self.sight(provider), Arc::clone(&lessons))?;
        Ok(Arc::new(Retrying::new(remote, self.policy).sharing(lessons)))
    }

    /// The window of a provider's model: one, whatever it is asked for.
    fn window(&self, provider: &Provider) -> Arc<Window> {
        if provider.kind == ProviderKind::Offline {
            return Arc::new(window(provider));
        }
        self.entry(provider).window
    }

    /// Whether a provider's model sees images: one, whatever it is asked for, unless it is set for one use.
    fn sight(&self, provider: &Provider) -> Arc<Sight> {
        if provider.kind == ProviderKind::Offline || provider.images.is_some() {
            return Arc::new(sight(provider));
        }
        self.entry(provider).sight
    }

    /// The lessons about a provider's model.
    fn entry(&self, provider: &Provider) -> Entry {
        let entry = || Entry {
            provider: provider.name.clone(),
            listed: (provider.kind == ProviderKind::Openai).then(|| Listed {
                base_url: provider.base_url.as_str().to_owned(),
                model: provider.model.clone(),
                key: (self.secrets.provider_keys.get(&provider.name)).map(|key| key.expose().to_owned()),
            }),
            base_url: shown_url(provider.base_url.as_str()),
            model: provider.model.clone(),
            window: Arc::new(window(provider)),
            sight: Arc::new(sight(provider)),
        };
        let mut windows = self.windows.borrow_mut();
        windows.entry(server(provider)).or_insert_with(entry).clone()
    }

    /// The reader that learns the windows of the models that have a role.
    fn learning(&self) -> Windows {
        let entries = self.windows.borrow().values().cloned().collect();
        Windows::new(entries, self.clients.values().next().cloned())
    }
}

fn server(provider: &Provider) -> Server {
    (
        provider.name.clone(),
        provider.base_url.as_str().to_owned(),
        provider.model.clone(),
    )
}

/// Whether a provider's model sees images, as far as that is known without showing it one.
fn sight(provider: &Provider) -> Sight {
    if provider.kind == ProviderKind::Offline {
        return Sight::set(false);
    }
    Sight::new(&provider.model, provider.images)
}

fn remote(
    provider: &Provider,
    key: Option<&Secret>,
    client: reqwest::Client,
    sight: Arc<Sight>,
    lessons: Arc<Lessons>,
) -> Result<Arc<dyn Model>, SetupError> {
    let settings = ProviderConfig {
        key: key.cloned(),
        images: sight,
        lessons,
        ..ProviderConfig::new(provider.clone())
    };
    Ok(match provider.kind {
        ProviderKind::Offline => Arc::new(Offline),
        ProviderKind::Openai => Arc::new(OpenAi::new(settings, client)?),
        ProviderKind::Anthropic => Arc::new(Anthropic::new(settings, client)?),
    })
}

/// A client for a provider and those that allow as long for a connection.
fn http_client(provider: &Provider) -> Result<reqwest::Client, SetupError> {
    clifford_llm::http_client(Duration::from_secs(provider.connect_timeout_seconds))
}

/// The window of a provider's model, as far as it is known without asking.
fn window(provider: &Provider) -> Window {
    if provider.kind == ProviderKind::Offline {
        // It reads whatever it is given.
        return Window::new("", "", Some(u64::from(u32::MAX)));
    }
    Window::new(provider.base_url.as_str(), &provider.model, provider.context_tokens)
}

/// Prices as they are set, and what follows from them for those that are not.
fn prices(provider: &Provider) -> Prices {
    let prompt = provider.prices.prompt.unwrap_or(0.0);
    let dearer = match provider.kind {
        ProviderKind::Anthropic => prompt * CACHE_WRITE,
        ProviderKind::Openai | ProviderKind::Offline => prompt,
    };
    Prices {
        prompt,
        cached: provider.prices.cached.unwrap_or(prompt),
        cache_write: provider.prices.cache_write.unwrap_or(dearer),
        completion: provider.prices.completion.unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use clifford_config::TokenPrices;

    use super::*;

    #[test]
    fn a_price_that_is_not_set_follows_from_the_others() {
        let provider = |kind, cached| Provider {
            kind,
            prices: TokenPrices {
                prompt: Some(4.0),
                completion: Some(20.0),
                cached,
                cache_write: None,
            },
            ..Provider::default()
        };
        let expected = |cached, cache_write| Prices {
            prompt: 4.0,
            cached,
            cache_write,
            completion: 20.0,
        };
        assert_eq!(prices(&provider(ProviderKind::Openai, None)), expected(4.0, 4.0));
        assert_eq!(
            prices(&provider(ProviderKind::Anthropic, Some(0.4))),
            expected(0.4, 5.0)
        );
        assert_eq!(prices(&Provider::default()), Prices::default());
    }
}
