//! What only others can tell: platforms, providers, the time.

use clifford_config::{Config, Provider, ProviderKind, Secrets};

use super::{Check, Report};
use crate::cli::probe::{self, Bot, Fault};

/// More seconds than this between two clocks confuse people.
const SKEW: i64 = 60;

pub(super) async fn examine(config: &Config, secrets: &Secrets, report: &mut Report) -> anyhow::Result<()> {
    let mut ahead = None;
    if let (Some(section), Some(token)) = (&config.channels.telegram, &secrets.telegram_token) {
        let outcome = probe::telegram(section.api_url.as_str(), token.expose()).await;
        ahead = ahead.or_else(|| outcome.as_ref().ok()?.ahead);
        report.add(telegram(outcome))?;
    }
    if let (Some(section), Some(token)) = (&config.channels.discord, &secrets.discord_token) {
        let outcome = probe::discord(section.api_url.as_str(), token.expose()).await;
        ahead = ahead.or_else(|| outcome.as_ref().ok()?.ahead);
        report.add(discord(outcome))?;
    }
    if secrets.telegram_token.is_none() && secrets.discord_token.is_none() {
        report.add(Check::ok("platforms", "none is on; `clifford chat` works without"))?;
    }
    for provider in &config.llm.providers {
        report.add(model(provider, secrets).await)?;
    }
    if let Some(ahead) = ahead {
        report.add(clock(ahead))?;
    }
    Ok(())
}

fn telegram(outcome: Result<Bot, Fault>) -> Check {
    const NAME: &str = "telegram";
    match outcome {
        Ok(bot) if bot.reads_all => Check::ok(NAME, format!("{}, reads all messages in groups", bot.name)),
        Ok(bot) => Check::ok(
            NAME,
            format!(
                "{}, in groups reads commands, mentions and replies (privacy mode: /setprivacy at @BotFather)",
                bot.name
            ),
        ),
        Err(fault @ Fault::Refused(_)) => Check::fail(
            NAME,
            fault.to_string(),
            "take the token from @BotFather (/mybots, API Token) and set it where channels.telegram.token says",
        ),
        Err(fault @ Fault::Unreachable(_)) => Check::fail(
            NAME,
            fault.to_string(),
            "check the network, a proxy or firewall, and channels.telegram.api_url",
        ),
    }
}

fn discord(outcome: Result<Bot, Fault>) -> Check {
    const NAME: &str = "discord";
    const PORTAL: &str = "https://discord.com/developers/applications";
    match outcome {
        Ok(bot) if bot.reads_all => Check::ok(NAME, format!("{}, may read messages", bot.name)),
        Ok(bot) => Check::fail(
            NAME,
            format!(
                "{} lacks the message content intent: it sees no text in servers",
                bot.name
            ),
            format!("turn on Message Content Intent at {PORTAL} → your application → Bot"),
        ),
        Err(fault @ Fault::Refused(_)) => Check::fail(
            NAME,
            fault.to_string(),
            format!(
                "take the token from {PORTAL} → your application → Bot, and set it where channels.discord.token says"
            ),
        ),
        Err(fault @ Fault::Unreachable(_)) => Check::fail(
            NAME,
            fault.to_string(),
            "check the network, a proxy or firewall, and channels.discord.api_url",
        ),
    }
}

async fn model(provider: &Provider, secrets: &Secrets) -> Check {
    let name = "model";
    if provider.kind == ProviderKind::Offline {
        return Check::warn(
            name,
            "the offline responder answers: it is no language model",
            "set OPENAI_API_KEY or ANTHROPIC_API_KEY (or OPENAI_BASE_URL for a server of your own), or run `clifford init`",
        );
    }
    let shown = format!("{}: {} at {}", provider.name, provider.model, provider.base_url);
    match probe::model(provider, secrets.provider_keys.get(&provider.name)).await {
        Ok(()) => Check::ok(name, format!("{shown} answers")),
        Err(fault @ Fault::Refused(_)) => Check::fail(
            name,
            format!("{shown}: {fault}"),
            "check key, model and base_url of this provider in [[llm.providers]]",
        ),
        Err(fault @ Fault::Unreachable(_)) => Check::fail(
            name,
            format!("{shown}: {fault}"),
            "check that the server runs, the network, and base_url in [[llm.providers]]",
        ),
    }
}

fn clock(ahead: i64) -> Check {
    let found = match ahead {
        0 => "the same as the platform's".to_owned(),
        1.. => format!("{ahead} s ahead of the platform's"),
        _ => format!("{} s behind the platform's", -ahead),
    };
    if ahead.abs() > SKEW {
        Check::warn("clock", found, "let this machine set its clock by NTP")
    } else {
        Check::ok("clock", found)
    }
}
