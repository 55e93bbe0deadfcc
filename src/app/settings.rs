//! What the configuration says, in the terms of each part.

use std::{collections::BTreeMap, time::Duration};

use clifford_channel::{Id, Platform, Section};
use clifford_config::{self as config, Config, Loaded, Secrets};
use clifford_content::files::{self, S3, S3Settings, Storage};
use clifford_core::{
    access::{Access, Policy},
    clock::SharedClock,
    policy,
    run::rules::{ASSUMED_WINDOW, CACHED_SHARE, Rules},
};
use clifford_delivery as delivery;
use clifford_engine::{self as engine, jobs::retention::Retention};
use clifford_ingress as ingress;
use clifford_store::places::place_settings::PlaceSettings;
use clifford_tools::{Options, Registry};

/// A month of 31 days, and a day for time zones.
const LONGEST_MONTH: Duration = Duration::from_secs(32 * 86_400);

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

/// What part of a token a cached one counts: its price's share, where both are set for who answers people.
fn cached_share(config: &Config) -> f64 {
    let usual = config::RoleModel::default();
    let choice = config.llm.roles.executor.as_ref().unwrap_or(&usual);
    let named = |provider: &&config::Provider| choice.provider.as_ref().is_none_or(|name| *name == provider.name);
    let provider = config
        .llm
        .providers
        .iter()
        .find(named)
        .map(|provider| choice.at(provider));
    let prices = provider.and_then(|provider| provider.cached_price.zip(provider.prompt_price));
    match prices.filter(|(_, prompt)| *prompt > 0.0) {
        Some((cached, prompt)) => (cached / prompt).clamp(0.0, 1.0),
        None => CACHED_SHARE,
    }
}

/// What tool calls are judged by.
pub(crate) fn policy(config: &Config) -> policy::Settings {
    policy::Settings {
        rules: config.policies.clone(),
        approvals: config.policy.clone(),
    }
}

pub(super) fn engine_settings(config: &Config) -> engine::Settings {
    engine::Settings {
        engine: config.engine.clone(),
        defaults: PlaceSettings::configured(&config.ingress, &config.memory),
        memory: config.memory,
        triggers: config.triggers,
        budgets: config.budgets.clone(),
    }
}

/// Where files are kept.
///
/// # Errors
/// Why the settings of the bucket cannot be right.
pub(crate) fn storage(loaded: &Loaded, secrets: &Secrets, clock: SharedClock) -> Result<Storage, String> {
    let files = &loaded.config.files;
    let bucket = match (&files.endpoint, &files.bucket, &secrets.bucket_keys) {
        (Some(endpoint), Some(bucket), Some((access_key, secret_key))) if files.store == config::FileStore::S3 => {
            let settings = S3Settings {
                endpoint: endpoint.as_str().to_owned(),
                bucket: bucket.clone(),
                region: files.region.clone(),
                prefix: files.prefix.clone(),
                access_key: access_key.clone(),
                secret_key: secret_key.clone(),
            };
            Some(S3::new(settings, clock)?)
        }
        _ => None,
    };
    Ok(Storage::new(&loaded.data_dir, bucket))
}

/// How much of files is kept.
pub(super) const fn file_limits(config: &Config) -> files::Limits {
    files::Limits {
        file_bytes: config.files.max_file_bytes,
        user_bytes: config.files.max_user_bytes,
    }
}

/// How long what is over is kept.
pub(super) fn retention(config: &Config) -> Retention {
    let kept = |days: f64| (days > 0.0).then(|| Duration::from_secs_f64(days * 86_400.0));
    let retention = &config.retention;
    let usage = kept(retention.usage_days);
    Retention {
        runs: kept(retention.runs_days),
        messages: kept(retention.messages_days),
        // Budgets sum up what was used since their month began.
        usage: match config.budgets.is_empty() {
            true => usage,
            false => usage.map(|kept| kept.max(LONGEST_MONTH)),
        },
    }
}

pub(super) fn delivery_settings(config: &Config) -> delivery::Settings {
    delivery::Settings {
        section: config.delivery,
        lease: config.engine.lease,
        deaths: config.engine.deaths(),
    }
}

pub(super) fn ingress_settings(config: &Config) -> ingress::Settings {
    let ids = |ids: &[Id]| ids.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
    let section = |section: &Section| {
        let common = section.common();
        let policy = Policy {
            access: common.access,
            allow: ids(common.allow),
            wake_words: common.wake_words.to_vec(),
            always: ids(common.always),
        };
        (section.platform(), policy)
    };
    let mut policies: BTreeMap<_, _> = config.channels.sections().map(section).collect();
    // Who sits at this machine, or holds an API token, was let in by that.
    for platform in [Platform::TERMINAL, Platform::WEB] {
        policies.insert(
            platform,
            Policy {
                access: Access::Open,
                ..Policy::default()
            },
        );
    }
    ingress::Settings {
        policies,
        section: config.ingress,
    }
}

pub(super) fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
