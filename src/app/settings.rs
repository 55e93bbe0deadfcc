//! The configuration, in the terms of each part.

use std::collections::BTreeMap;

use clifford_channel::{Platform, Section};
use clifford_config::{self as config, Config, Loaded, Secrets};
use clifford_content::files::Storage;
use clifford_core::{
    access::{Access, Audience},
    clock::SharedClock,
    policy,
    run::rules::{ASSUMED_WINDOW, CACHED_SHARE, Rules},
    settings::FileStore,
};
use clifford_delivery as delivery;
use clifford_engine as engine;
use clifford_ingress as ingress;
use clifford_tools::{Options, Registry};

use crate::features;

/// The numbers that runs are judged by.
pub(crate) fn rules(config: &Config, tools: &Registry, options: &Options) -> Rules {
    Rules {
        engine: config.engine.clone(),
        window: ASSUMED_WINDOW,
        cached_share: cached_share(config),
        single_commands: tools.single_commands(options),
        policy: policy(config),
        profiles: (config.profiles.iter())
            .map(|profile| (profile.name.clone(), profile.clone()))
            .collect(),
    }
}

/// The weight of a cached token: its share of the price, where both prices are set for the provider that answers
/// people.
fn cached_share(config: &Config) -> f64 {
    let usual = config::RoleModel::default();
    let choice = config.llm.roles.executor.as_ref().unwrap_or(&usual);
    let providers = &config.llm.providers;
    let provider = providers
        .get(choice.place(providers))
        .map(|provider| choice.at(provider));
    let prices = provider.and_then(|provider| provider.prices.cached.zip(provider.prices.prompt));
    match prices.filter(|(_, prompt)| *prompt > 0.0) {
        Some((cached, prompt)) => (cached / prompt).clamp(0.0, 1.0),
        None => CACHED_SHARE,
    }
}

/// The policy for tool calls.
pub(crate) fn policy(config: &Config) -> policy::PolicySettings {
    policy::PolicySettings {
        rules: config.policies.clone(),
        approvals: config.policy.clone(),
    }
}

/// The settings of the engine, which judges runs by these rules.
pub(crate) fn engine_settings(config: &Config, rules: Rules) -> engine::EngineSettings {
    engine::EngineSettings {
        rules,
        ingress: config.ingress.clone(),
        memory: config.memory,
        triggers: config.triggers,
        budgets: config.budgets.clone(),
        retention: config.retention.clone(),
    }
}

/// Where files are kept.
///
/// # Errors
/// Why the settings of the bucket cannot be right.
pub(crate) fn storage(loaded: &Loaded, secrets: &Secrets, clock: SharedClock) -> Result<Storage, String> {
    let section = &loaded.config.files;
    let keys = (secrets.bucket_keys.as_ref()).filter(|_| section.store == FileStore::S3);
    let bucket = keys.map(|keys| features::bucket(section, keys, clock));
    Ok(Storage::new(&loaded.data_dir, bucket.transpose()?))
}

pub(super) fn delivery_settings(config: &Config) -> delivery::DeliverySettings {
    delivery::DeliverySettings {
        section: config.delivery,
        lease: config.engine.lease,
        deaths: config.engine.deaths(),
    }
}

/// The people whom each platform's channel answers.
pub(crate) fn audiences(config: &Config) -> BTreeMap<Platform, Audience> {
    let section = |section: &Section| (section.platform(), section.common().audience.clone());
    let mut audiences: BTreeMap<_, _> = config.channels.sections().map(section).collect();
    // Access to this machine, or to an API token, already lets a person in.
    for platform in [Platform::TERMINAL, Platform::WEB] {
        let open = Audience {
            access: Access::Open,
            ..Audience::default()
        };
        audiences.insert(platform, open);
    }
    audiences
}

/// `serves`: this process, or one that it works alongside, serves what `[http]` says.
pub(super) fn ingress_settings(config: &Config, serves: bool) -> ingress::IngressSettings {
    ingress::IngressSettings {
        audiences: audiences(config),
        section: config.ingress.clone(),
        dashboard: (serves && config.http.enabled).then(|| config.http.address()),
    }
}

pub(super) fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
