//! Rules between keys, which the schema of one key can't say.

use std::collections::BTreeMap;

use clifford_core::settings::BudgetScope;

use super::{Config, Location, error::Problem, tree::Node};

/// Everything in `config` that contradicts itself; `tree` tells where it stands.
pub(super) fn check(config: &Config, tree: &Node) -> Vec<Problem> {
    let at = |path: &str| tree.find(path).map(|node| node.place.clone());
    let mut problems = Vec::new();
    limits(config, &at, &mut problems);
    names(config, &at, &mut problems);
    roles(config, &at, &mut problems);
    policies(config, &at, &mut problems);
    budgets(config, &at, &mut problems);
    for key in config.files.missing() {
        let fault = "missing; set it, or files.store = \"directory\"".to_owned();
        problems.push(Problem::new(at("files"), format!("files.{key}"), fault));
    }
    problems
}

fn limits(config: &Config, at: &dyn Fn(&str) -> Option<Location>, problems: &mut Vec<Problem>) {
    let (engine, delivery) = (&config.engine, &config.delivery);
    let pairs = [
        (
            ("engine", "max_iterations", u64::from(engine.max_iterations)),
            ("max_iterations_hard_cap", u64::from(engine.max_iterations_hard_cap)),
        ),
        (
            ("delivery", "backoff_seconds", delivery.backoff.as_secs()),
            ("max_backoff_seconds", delivery.max_backoff.as_secs()),
        ),
    ];
    if engine.suspect_after >= engine.quarantine_after {
        let (suspect, quarantine) = ("engine.suspect_after", "engine.quarantine_after");
        let (place, key) = at(suspect).map_or_else(|| (at(quarantine), quarantine), |place| (Some(place), suspect));
        let fault = format!(
            "suspect_after ({}) is not less than quarantine_after ({}); lower the one or raise the other",
            engine.suspect_after, engine.quarantine_after
        );
        problems.push(Problem::new(place, key.to_owned(), fault));
    }
    for ((section, name, value), (cap_name, cap)) in pairs {
        if value > cap {
            let (key, cap_key) = (format!("{section}.{name}"), format!("{section}.{cap_name}"));
            let (place, key) = at(&key).map_or_else(|| (at(&cap_key), cap_key), |place| (Some(place), key));
            let fault = format!("{name} ({value}) is more than {cap_name} ({cap}); lower the one or raise the other");
            problems.push(Problem::new(place, key, fault));
        }
    }
}

fn roles(config: &Config, at: &dyn Fn(&str) -> Option<Location>, problems: &mut Vec<Problem>) {
    let known: Vec<_> = config
        .llm
        .providers
        .iter()
        .map(|provider| provider.name.as_str())
        .collect();
    // Without any, the offline responder has every role.
    if known.is_empty() {
        return;
    }
    let roles = config
        .llm
        .roles
        .set()
        .map(|(role, chosen)| (format!("llm.roles.{role}"), &chosen.provider));
    let choices = config.llm.choices.iter().enumerate();
    let choices = choices.map(|(place, choice)| (format!("llm.choices[{place}]"), &choice.role.provider));
    for (section, provider) in roles.chain(choices) {
        if let Some(provider) = provider.as_deref().filter(|provider| !known.contains(provider)) {
            let key = format!("{section}.provider");
            let fault = format!("there is no provider {provider:?}; there is {}", known.join(", "));
            problems.push(Problem::new(at(&key), key, fault));
        }
    }
}

fn policies(config: &Config, at: &dyn Fn(&str) -> Option<Location>, problems: &mut Vec<Problem>) {
    for (place, rule) in config.policies.iter().enumerate() {
        if let Some((field, fault)) = rule.fault() {
            let (path, section) = (format!("policies[{place}].{field}"), format!("policies[{place}]"));
            problems.push(Problem::new(at(&path).or_else(|| at(&section)), path, fault));
        }
    }
}

fn budgets(config: &Config, at: &dyn Fn(&str) -> Option<Location>, problems: &mut Vec<Problem>) {
    for (place, budget) in config.budgets.iter().enumerate() {
        if budget.scope != BudgetScope::User && !budget.platform_roles.is_empty() {
            let path = format!("budgets[{place}].platform_roles");
            let fault =
                "only a budget of scope = \"user\" can be for roles; set that, or leave the roles out".to_owned();
            problems.push(Problem::new(at(&path), path, fault));
        }
    }
}

fn names(config: &Config, at: &dyn Fn(&str) -> Option<Location>, problems: &mut Vec<Problem>) {
    let agents = config
        .agents
        .iter()
        .enumerate()
        .map(|(i, agent)| (format!("agents[{i}]"), agent.name.as_str()));
    let agents = std::iter::once(("agent".to_owned(), config.agent.name.as_str())).chain(agents);
    let providers = config.llm.providers.iter().enumerate();
    let providers = providers.map(|(i, provider)| (format!("llm.providers[{i}]"), provider.name.as_str()));
    for (i, _) in config
        .profiles
        .iter()
        .enumerate()
        .filter(|(_, profile)| profile.name.is_empty())
    {
        let path = format!("profiles[{i}]");
        let fault = "it has no name: models ask for a profile by its name".to_owned();
        problems.push(Problem::new(at(&path), format!("{path}.name"), fault));
    }
    let profiles = config.profiles.iter().enumerate();
    let profiles = profiles.map(|(i, profile)| (format!("profiles[{i}]"), profile.name.as_str()));
    let choices = config.llm.choices.iter().enumerate();
    let choices = choices.map(|(i, choice)| (format!("llm.choices[{i}]"), choice.name.as_str()));
    for group in [
        agents.collect::<Vec<_>>(),
        providers.collect(),
        profiles.collect(),
        choices.collect(),
    ] {
        let mut taken = BTreeMap::new();
        for (path, name) in group {
            if let Some(first) = taken.get(&name.to_lowercase()) {
                let fault = format!("{name:?} is already the name of {first}; give each its own");
                let place = at(&format!("{path}.name")).or_else(|| at(&path));
                problems.push(Problem::new(place, format!("{path}.name"), fault));
            } else {
                taken.insert(name.to_lowercase(), path);
            }
        }
    }
}
