//! The wizard: what is needed, each token checked as it is typed.

use std::collections::BTreeMap;

use anyhow::anyhow;
use clifford_channel::{About, Access, Bot, Platforms, Section};
use clifford_config::{self as config, Config, ProviderKind};
use clifford_vault::{Secret, Url};
use inquire::{Confirm, InquireError, MultiSelect, Password, PasswordDisplayMode, Select, Text};

use super::{
    answers::{Answers, Connection, Provider, Token},
    say, section,
};
use crate::cli::probe::{self, Fault};

const OPENAI: &str = "OpenAI";
const ANTHROPIC: &str = "Anthropic";
const OTHER: &str = "Another server that speaks OpenAI's API (Ollama, llama.cpp, OpenRouter, …)";
const NONE: &str = "None for now: the offline responder answers";
const PAIRING: &str = "Whom I let in, each with a code";
const OPEN: &str = "Everybody";
const ALLOWLIST: &str = "Who stands in a list that I write";
const IN_FILE: &str = "In bot.toml, which only you can read then";
const IN_ENVIRONMENT: &str = "In an environment variable, which you set yourself";

/// Asks, until there is an answer to everything.
///
/// # Errors
/// The questions were broken off.
pub(super) async fn ask(
    defaults: &Config,
    env: &BTreeMap<String, String>,
    platforms: Platforms,
) -> anyhow::Result<Answers> {
    say("Enter takes what is suggested; Esc stops, and nothing is written.")?;
    let titles: Vec<_> = platforms.rows().map(|row| row.about.title).collect();
    let chosen = prompt(|| {
        MultiSelect::new("Where shall the bot be?", titles)
            .with_help_message("Space chooses; none is fine too: `clifford chat` always works")
            .prompt()
    })?;
    let mut answers = Answers::default();
    for row in platforms.rows().filter(|row| chosen.contains(&row.about.title)) {
        let section = section(defaults, row);
        let common = section.common();
        say(row.about.first_steps)?;
        answers.connections.push(Connection {
            row,
            token: token(&section, env).await?,
            access: access(common.access)?,
            api_url: common.api_url.clone(),
        });
    }
    answers.provider = provider(env).await?;
    Ok(answers)
}

/// A question, in the terminal.
fn prompt<T>(question: impl FnOnce() -> Result<T, InquireError>) -> anyhow::Result<T> {
    tokio::task::block_in_place(question).map_err(|error| match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => anyhow!("stopped; nothing was written"),
        other => anyhow!("the terminal cannot be asked: {other}; use --yes"),
    })
}

fn set<'a>(env: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    env.get(name)
        .map(|value| value.trim())
        .filter(|value| !value.is_empty())
}

/// A platform's token that the platform accepts, or that could not be checked.
async fn token(section: &Section, env: &BTreeMap<String, String>) -> anyhow::Result<Token> {
    let About {
        title, token_variable, ..
    } = section.about();
    if let Some(token) = set(env, token_variable).map(Secret::new)
        && judge(section.probe(&token).await)?
        && prompt(|| {
            Confirm::new(&format!("Use the token in {token_variable}?"))
                .with_default(true)
                .prompt()
        })?
    {
        return Ok(Token::Environment((*token_variable).to_owned()));
    }
    loop {
        let token = secret(&format!("{title} bot token:"))?;
        if judge(section.probe(&token).await)? {
            return keep(token, token_variable);
        }
    }
}

/// Says how a check came out; `false`: ask again.
fn judge(outcome: Result<Bot, Fault>) -> anyhow::Result<bool> {
    match outcome {
        Ok(bot) => {
            say(&format!("  ✓ this is {}", bot.name))?;
            if let Some(warning) = bot.warning {
                say(&format!("  ! {} {}; {}", bot.name, warning.found, warning.mend))?;
            }
            Ok(true)
        }
        Err(Fault::Refused(why)) => {
            say(&format!("  ✗ not accepted: {why}"))?;
            Ok(false)
        }
        Err(Fault::Unreachable(why)) => {
            say(&format!("  ? not checked, {why}; `clifford doctor` tries again"))?;
            Ok(true)
        }
    }
}

fn secret(question: &str) -> anyhow::Result<Secret> {
    let text = prompt(|| {
        Password::new(question)
            .without_confirmation()
            .with_display_mode(PasswordDisplayMode::Masked)
            .prompt()
    })?;
    Ok(Secret::new(text.trim()))
}

/// Where a typed secret is kept.
fn keep(secret: Secret, variable: &str) -> anyhow::Result<Token> {
    let place = prompt(|| Select::new("Where shall it be kept?", vec![IN_FILE, IN_ENVIRONMENT]).prompt())?;
    Ok(if place == IN_FILE {
        Token::Inline(secret)
    } else {
        Token::Environment(variable.to_owned())
    })
}

fn access(usual: Access) -> anyhow::Result<Access> {
    let options = vec![PAIRING, OPEN, ALLOWLIST];
    let start = match usual {
        Access::Pairing => 0,
        Access::Open => 1,
        Access::Allowlist => 2,
    };
    let chosen = prompt(|| {
        Select::new("Who may talk to it in private?", options)
            .with_starting_cursor(start)
            .prompt()
    })?;
    Ok(match chosen {
        OPEN => Access::Open,
        ALLOWLIST => Access::Allowlist,
        _ => Access::Pairing,
    })
}

/// A language model that answers, or that could not be checked.
async fn provider(env: &BTreeMap<String, String>) -> anyhow::Result<Option<Provider>> {
    loop {
        let usual = config::Provider::default();
        let kind = prompt(|| Select::new("Which language model?", vec![OPENAI, ANTHROPIC, OTHER, NONE]).prompt())?;
        let mut settings = match kind {
            NONE => return Ok(None),
            OTHER => {
                let url = set(env, "OPENAI_BASE_URL")
                    .unwrap_or("http://127.0.0.1:11434/v1")
                    .to_owned();
                config::Provider {
                    base_url: Url::from(line("Where does its API begin?", &url)?),
                    ..usual
                }
            }
            ANTHROPIC => config::Provider {
                kind: ProviderKind::Anthropic,
                ..usual
            }
            .settled(),
            _ => usual,
        };
        let prefix = settings.key_variable().trim_end_matches("_API_KEY");
        settings.model = line(
            "Which model?",
            set(env, &format!("{prefix}_MODEL")).unwrap_or(&settings.model),
        )?;
        let (key, kept) = key(kind != OTHER, settings.key_variable(), env)?;
        say("  asking the model …")?;
        match probe::model(&settings, key.as_ref()).await {
            Ok(()) => say("  ✓ it answers")?,
            Err(Fault::Unreachable(why)) => say(&format!("  ? not checked: {why}; `clifford doctor` tries again"))?,
            Err(Fault::Refused(why)) => {
                say(&format!("  ✗ {why}"))?;
                continue;
            }
        }
        let key = match (key, kept) {
            (_, Some(variable)) => Some(Token::Environment(variable)),
            (Some(key), None) => Some(keep(key, settings.key_variable())?),
            (None, None) => None,
        };
        return Ok(Some(Provider {
            kind: settings.kind,
            base_url: settings.base_url,
            model: settings.model,
            key,
        }));
    }
}

/// The key, and the variable that it is in already.
fn key(
    needed: bool,
    variable: &str,
    env: &BTreeMap<String, String>,
) -> anyhow::Result<(Option<Secret>, Option<String>)> {
    if let Some(key) = set(env, variable)
        && prompt(|| {
            Confirm::new(&format!("Use the key in {variable}?"))
                .with_default(true)
                .prompt()
        })?
    {
        return Ok((Some(Secret::new(key)), Some(variable.to_owned())));
    }
    let question = if needed {
        "API key:"
    } else {
        "API key (empty if it needs none):"
    };
    let key = secret(question)?;
    Ok(((!key.expose().is_empty()).then_some(key), None))
}

fn line(question: &str, usual: &str) -> anyhow::Result<String> {
    let text = prompt(|| Text::new(question).with_default(usual).prompt())?;
    Ok(text.trim().to_owned())
}
