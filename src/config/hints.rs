//! What the owner should know or do next.

use std::collections::BTreeMap;

use super::{
    Access, Config, Origin, ProviderKind,
    channels::{DISCORD_TOKEN, TELEGRAM_TOKEN},
    environment::variable,
};

/// One sentence for each thing to know or do, the first step first.
pub(super) fn hints(config: &Config, origin: &Origin, env: &BTreeMap<String, String>) -> Vec<String> {
    match origin {
        Origin::File(path) => in_file(config, &path.display().to_string(), env),
        Origin::Defaults => without_file(config, env),
    }
}

fn is_offline(config: &Config) -> bool {
    config
        .llm
        .providers
        .iter()
        .all(|provider| provider.kind == ProviderKind::Offline)
}

fn model(env: &BTreeMap<String, String>) -> &'static str {
    match variable(env, "ANTHROPIC_API_KEY") {
        Some(_) => {
            "ANTHROPIC_API_KEY is set, but Anthropic's API is not supported yet, so the offline responder answers; set \
             OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
        }
        None => {
            "No language model is set, so the offline responder answers; set OPENAI_API_KEY, or OPENAI_BASE_URL for a \
             server of your own."
        }
    }
}

fn without_file(config: &Config, env: &BTreeMap<String, String>) -> Vec<String> {
    let mut hints = vec!["There is no bot.toml, so the defaults hold; `clifford init` writes one.".to_owned()];
    if is_offline(config) {
        hints.push(model(env).to_owned());
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
    if is_offline(config) && variable(env, "ANTHROPIC_API_KEY").is_some() {
        hints.push(model(env).to_owned());
    }
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
