//! Checks that ask others: platforms, providers, the time.

use clifford_channel::{About, Bot, Fault};
use clifford_config::{Config, Provider, ProviderKind, Secrets};

use super::{Check, Report};
use crate::cli::probe;

/// More seconds than this between two clocks confuse people.
const SKEW: i64 = 60;

pub(super) async fn examine(config: &Config, secrets: &Secrets, report: &mut Report) -> anyhow::Result<()> {
    let mut ahead = None;
    for section in config.channels.enabled() {
        if let Some(token) = secrets.token(section.platform()) {
            let outcome = section.probe(token).await;
            ahead = ahead.or_else(|| outcome.as_ref().ok()?.ahead);
            report.add(platform(section.about(), outcome))?;
        }
    }
    if secrets.tokens.is_empty() {
        report.add(Check::ok("platforms", "none is on (`clifford chat` needs none)"))?;
    }
    for provider in &config.llm.providers {
        report.add(model(provider, secrets).await)?;
    }
    if let Some(ahead) = ahead {
        report.add(clock(ahead))?;
    }
    Ok(())
}

fn platform(about: &About, outcome: Result<Bot, Fault>) -> Check {
    let (name, section) = (about.platform.as_str(), about.path());
    match outcome {
        Ok(Bot {
            name: bot,
            warning: Some(warning),
            ..
        }) => Check::warn(name, format!("{bot} {}", warning.found), warning.mend),
        Ok(Bot { name: bot, about, .. }) if about.is_empty() => Check::ok(name, bot),
        Ok(Bot { name: bot, about, .. }) => Check::ok(name, format!("{bot}, {about}")),
        Err(fault @ Fault::Refused(_)) => Check::fail(
            name,
            fault.to_string(),
            format!(
                "take the token from {}, and set it where {section}.token says",
                about.token_from
            ),
        ),
        Err(fault @ Fault::Unreachable(_)) => Check::fail(
            name,
            fault.to_string(),
            format!("check the network, a proxy or firewall, and {section}.api_url"),
        ),
    }
}

async fn model(provider: &Provider, secrets: &Secrets) -> Check {
    let name = "model";
    if provider.kind == ProviderKind::Offline {
        return Check::warn(
            name,
            "no language model is configured; the offline responder answers instead",
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
