//! Rules between keys, which the schema of one key can't say.

use std::collections::BTreeMap;

use super::{Config, Place, error::Problem, tree::Node};

/// Everything in `config` that contradicts itself; `tree` tells where it stands.
pub(super) fn check(config: &Config, tree: &Node) -> Vec<Problem> {
    let at = |path: &str| tree.find(path).map(|node| node.place.clone());
    let mut problems = Vec::new();
    limits(config, &at, &mut problems);
    names(config, &at, &mut problems);
    problems
}

fn limits(config: &Config, at: &dyn Fn(&str) -> Option<Place>, problems: &mut Vec<Problem>) {
    let (engine, delivery) = (&config.engine, &config.delivery);
    let pairs = [
        (
            ("engine", "max_iterations", u64::from(engine.max_iterations)),
            ("max_iterations_hard_cap", u64::from(engine.max_iterations_hard_cap)),
        ),
        (
            ("delivery", "backoff_seconds", delivery.backoff_seconds),
            ("max_backoff_seconds", delivery.max_backoff_seconds),
        ),
    ];
    for ((section, name, value), (cap_name, cap)) in pairs {
        if value > cap {
            let (key, cap_key) = (format!("{section}.{name}"), format!("{section}.{cap_name}"));
            let (place, key) = at(&key).map_or_else(|| (at(&cap_key), cap_key), |place| (Some(place), key));
            let fault = format!("{name} ({value}) is more than {cap_name} ({cap}); lower the one or raise the other");
            problems.push(Problem::new(place, key, fault));
        }
    }
}

fn names(config: &Config, at: &dyn Fn(&str) -> Option<Place>, problems: &mut Vec<Problem>) {
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
    for group in [agents.collect::<Vec<_>>(), providers.collect(), profiles.collect()] {
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
