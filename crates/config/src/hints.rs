//! What the owner should know or do next.

use std::collections::BTreeMap;

use super::{
    Access, Config, Origin, Provider, ProviderKind,
    channels::{DISCORD_TOKEN, TELEGRAM_TOKEN},
    environment::variable,
};

/// One sentence for each thing to know or do, the first step first.
pub(super) fn hints(config: &Config, origin: &Origin, env: &BTreeMap<String, String>) -> Vec<String> {
    let mut hints = match origin {
        Origin::File(path) => in_file(config, &path.display().to_string(), env),
        Origin::Defaults => without_file(config),
    };
    hints.extend(budgets(config));
    hints
}

/// Budgets that hold nobody back.
fn budgets(config: &Config) -> Vec<String> {
    let is_priced = |provider: &Provider| provider.prompt_price.is_some() || provider.completion_price.is_some();
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

fn without_file(config: &Config) -> Vec<String> {
    let mut hints = vec!["There is no bot.toml, so the defaults hold; `clifford init` writes one.".to_owned()];
    if is_offline(config) {
        hints.push(NO_MODEL.to_owned());
    }
    if config.channels.telegram.is_none() && config.channels.discord.is_none() {
        hints.push(format!(
            "No chat platform is on; set {TELEGRAM_TOKEN} or {DISCORD_TOKEN}, or talk here with `clifford chat`."
        ));
    }
    hints
}

fn in_file(config: &Config, file: &str, env: &BTreeMap<String, String>) -> Vec<String> {
    let channels = &config.channels;
    let absent = [
        (TELEGRAM_TOKEN, "channels.telegram", channels.telegram.is_none()),
        (DISCORD_TOKEN, "channels.discord", channels.discord.is_none()),
    ];
    let mut hints: Vec<_> = absent
        .into_iter()
        .filter(|(name, _, absent)| *absent && variable(env, name).is_some())
        .map(|(name, section, _)| {
            format!("{name} is set, but {file} has no [{section}]; add it to turn the platform on.")
        })
        .collect();
    let telegram = channels
        .telegram
        .as_ref()
        .map(|it| ("channels.telegram", it.access, it.allow.is_empty()));
    let discord = channels
        .discord
        .as_ref()
        .map(|it| ("channels.discord", it.access, it.allow.is_empty()));
    for (section, access, empty) in [telegram, discord].into_iter().flatten() {
        if access == Access::Allowlist && empty {
            hints.push(format!(
                "{section}.allow is empty, so nobody may talk to the bot there in private."
            ));
        }
    }
    hints
}
