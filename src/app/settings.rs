//! What the configuration says, in the terms of each part.

use std::{collections::BTreeMap, time::Duration};

use clifford_channel::{Id, Platform, Section};
use clifford_config::{self as config, Config, Loaded, Secrets};
use clifford_content::files::{self, S3, S3Settings, Storage};
use clifford_core::{
    access::{Access, Policy},
    clock::SharedClock,
    policy,
    run::{
        rules::{ASSUMED_WINDOW, CACHED_SHARE, Profile, Rules},
        transcript::WindowLimits,
    },
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
    let engine = &config.engine;
    Rules {
        max_iterations: engine.max_iterations,
        max_iterations_hard_cap: engine.max_iterations_hard_cap,
        planning_gate: engine.planning_gate == config::PlanningGate::Required,
        max_json_retries: engine.max_json_retries,
        transcript: WindowLimits {
            entries: count(engine.transcript_limit),
            tokens: engine.transcript_token_limit.map(u64::from),
            entry_tokens: u64::from(engine.tool_result_token_limit),
        },
        max_parallel_subagents: count(engine.max_parallel_subagents),
        window: ASSUMED_WINDOW,
        max_run_tokens: engine.max_run_tokens,
        cached_share: cached_share(config),
        max_run_ms: engine.max_run_seconds * 1000,
        max_run_cost: engine.max_run_cost,
        time_zone: engine.time_zone.clone(),
        single_commands: tools.single_commands(options),
        policy: policy(config),
        subagent_conversation: count(engine.subagent_conversation_limit),
        profiles: (config.profiles.iter())
            .map(|profile| (profile.name.clone(), self::profile(profile)))
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

fn profile(profile: &config::Profile) -> Profile {
    Profile {
        prompt: profile.prompt.clone(),
        tools: profile.tools.clone(),
        planning_gate: profile.planning_gate.map(|gate| gate == config::PlanningGate::Required),
        max_iterations: profile.max_iterations,
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
        lease: Duration::from_secs(config.engine.lease_seconds),
        max_concurrent_runs: count(config.engine.max_concurrent_runs),
        max_parallel_subagents: count(config.engine.max_parallel_subagents),
        conversation_limit: config.engine.conversation_limit,
        defaults: PlaceSettings::configured(&config.ingress, &config.memory),
        memory: config.memory,
        triggers: config.triggers,
        record_prompts: config.engine.record_prompts,
        budgets: config.budgets.clone(),
        deaths: deaths(config),
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
    let delivery = &config.delivery;
    delivery::Settings {
        resend_ambiguous: delivery.resend_ambiguous,
        backoff: Duration::from_secs(delivery.backoff_seconds),
        longest_backoff: Duration::from_secs(delivery.max_backoff_seconds),
        stuck_after: Duration::from_secs(delivery.stuck_seconds),
        give_up_after: match delivery.give_up_hours {
            0 => Duration::MAX,
            hours => Duration::from_secs(hours * 3600),
        },
        lease: Duration::from_secs(config.engine.lease_seconds),
        deaths: deaths(config),
    }
}

/// How many deaths make work suspected, and set it aside.
fn deaths(config: &Config) -> clifford_core::quarantine::Limits {
    clifford_core::quarantine::Limits {
        suspect_after: i64::from(config.engine.suspect_after),
        quarantine_after: i64::from(config.engine.quarantine_after),
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
    let ingress = &config.ingress;
    ingress::Settings {
        policies,
        debounce: ingress.debounce,
        album: ingress.album,
        catch_up: ingress.catch_up,
        auto_close: ingress.auto_close,
        user_messages_per_minute: ingress.user_messages_per_minute,
        quoted_characters: count(ingress.quoted_characters),
    }
}

pub(super) fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
