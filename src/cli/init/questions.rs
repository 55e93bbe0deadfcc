//! The wizard: what is needed, each token checked as it is typed.

use std::collections::BTreeMap;

use anyhow::anyhow;
use clifford_config::{self as config, Access, Config, ProviderKind};
use clifford_vault::{Secret, Url};
use inquire::{Confirm, InquireError, MultiSelect, Password, PasswordDisplayMode, Select, Text};

use super::{
    answers::{Answers, Connection, Provider, Token},
    say,
};
use crate::cli::probe::{self, Bot, Fault};

const TELEGRAM: &str = "Telegram";
const DISCORD: &str = "Discord";
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
pub(super) async fn ask(defaults: &Config, env: &BTreeMap<String, String>) -> anyhow::Result<Answers> {
    say("Enter takes what is suggested; Esc stops, and nothing is written.")?;
    let platforms = prompt(|| {
        MultiSelect::new("Where shall the bot be?", vec![TELEGRAM, DISCORD])
            .with_help_message("Space chooses; none is fine too: `clifford chat` always works")
            .prompt()
    })?;
    let mut answers = Answers::default();
    if platforms.contains(&TELEGRAM) {
        let section = defaults.channels.telegram.clone().unwrap_or_default();
        say("A Telegram bot is made by writing /newbot to @BotFather; he gives you its token.")?;
        answers.telegram = Some(Connection {
            token: token(TELEGRAM, "TELEGRAM_BOT_TOKEN", &section.api_url, env).await?,
            access: access(section.access)?,
            api_url: section.api_url,
        });
    }
    if platforms.contains(&DISCORD) {
        let section = defaults.channels.discord.clone().unwrap_or_default();
        say(
            "A Discord bot is made at https://discord.com/developers/applications: New Application → Bot → Reset Token.\n\
             Turn on Message Content Intent there as well.",
        )?;
        answers.discord = Some(Connection {
            token: token(DISCORD, "DISCORD_BOT_TOKEN", &section.api_url, env).await?,
            access: access(section.access)?,
            api_url: section.api_url,
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
async fn token(platform: &str, variable: &str, api_url: &Url, env: &BTreeMap<String, String>) -> anyhow::Result<Token> {
    if let Some(token) = set(env, variable)
        && judge(platform, check(platform, api_url, token).await)?
        && prompt(|| {
            Confirm::new(&format!("Use the token in {variable}?"))
                .with_default(true)
                .prompt()
        })?
    {
        return Ok(Token::Environment(variable.to_owned()));
    }
    loop {
        let token = secret(&format!("{platform} bot token:"))?;
        if judge(platform, check(platform, api_url, token.expose()).await)? {
            return keep(token, variable);
        }
    }
}

async fn check(platform: &str, api_url: &Url, token: &str) -> Result<Bot, Fault> {
    match platform {
        TELEGRAM => probe::telegram(api_url.as_str(), token).await,
        _ => probe::discord(api_url.as_str(), token).await,
    }
}

/// Says how a check came out; `false`: ask again.
fn judge(platform: &str, outcome: Result<Bot, Fault>) -> anyhow::Result<bool> {
    match outcome {
        Ok(bot) => {
            say(&format!("  ✓ this is {}", bot.name))?;
            if platform == DISCORD && !bot.reads_all {
                say("  ! Message Content Intent is off: without it the bot sees no text in servers")?;
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
