//! Hints: things that the owner should know or do next.

use std::collections::BTreeMap;

use clifford_channel::{Access, Platforms};

use super::{Config, Origin, Provider, ProviderKind, environment::variable};

/// One sentence for each thing to know or do, the first step first.
pub(super) fn hints(
    config: &Config,
    origin: &Origin,
    env: &BTreeMap<String, String>,
    platforms: Platforms,
) -> Vec<String> {
    let mut hints = match origin {
        Origin::File(path) => in_file(config, &path.display().to_string(), env, platforms),
        Origin::Defaults => without_file(config, platforms),
    };
    hints.extend(budgets(config));
    hints
}

/// Budgets that hold nobody back.
fn budgets(config: &Config) -> Vec<String> {
    let is_priced = |provider: &Provider| provider.prices.prompt.is_some() || provider.prices.completion.is_some();
    let priced = config.llm.providers.iter().any(is_priced);
    let budgets = config.budgets.iter().enumerate();
    let idle = budgets.filter_map(|(index, budget)| match (budget.cost, budget.tokens) {
        (None, None) => Some(format!("budgets[{index}] limits nothing; set its cost or tokens.")),
        (Some(_), None) if !priced => Some(format!(
            "budgets[{index}].cost limits nothing, since no provider has prices; set prompt_price and completion_price."
        )),
        _ => None,
    });
    idle.collect()
}

fn is_offline(config: &Config) -> bool {
    config
        .llm
        .providers
        .iter()
        .all(|provider| provider.kind == ProviderKind::Offline)
}

const NO_MODEL: &str = "No language model is set, so the offline responder answers; set OPENAI_API_KEY or \
                        ANTHROPIC_API_KEY, or OPENAI_BASE_URL for a server of your own.";

fn without_file(config: &Config, platforms: Platforms) -> Vec<String> {
    let mut hints = vec!["There is no bot.toml, so the defaults hold; `clifford init` writes one.".to_owned()];
    if is_offline(config) {
        hints.push(NO_MODEL.to_owned());
    }
    if config.channels.sections().next().is_none() {
        hints.push(no_platform(platforms));
    }
    hints
}

fn no_platform(platforms: Platforms) -> String {
    let names: Vec<_> = platforms.rows().map(|row| row.about.token_variable).collect();
    match names.split_last() {
        None => "No chat platform is on; talk here with `clifford chat`.".to_owned(),
        Some((last, names)) => {
            let listed = [names.join(", "), (*last).to_owned()];
            let listed: Vec<_> = listed.into_iter().filter(|names| !names.is_empty()).collect();
            let listed = listed.join(" or ");
            format!("No chat platform is on; set {listed}, or talk here with `clifford chat`.")
        }
    }
}

fn in_file(config: &Config, file: &str, env: &BTreeMap<String, String>, platforms: Platforms) -> Vec<String> {
    let channels = &config.channels;
    let absent = platforms
        .rows()
        .filter(|row| channels.get(row.about.platform.as_str()).is_none());
    let mut hints: Vec<_> = absent
        .filter(|row| variable(env, row.about.token_variable).is_some())
        .map(|row| {
            let (name, section) = (row.about.token_variable, row.path());
            format!("{name} is set, but {file} has no [{section}]; add it to turn the platform on.")
        })
        .collect();
    for section in channels.sections() {
        let audience = &section.common().audience;
        if audience.access == Access::Allowlist && audience.allow.is_empty() {
            hints.push(format!(
                "{}.allow is empty, so nobody may talk to the bot there in private.",
                section.about().path()
            ));
        }
    }
    hints
}
