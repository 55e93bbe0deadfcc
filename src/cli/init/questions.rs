//! The wizard: its questions, with each token checked as it is typed.

use std::collections::BTreeMap;

use anyhow::anyhow;
use clifford_channel::{About, Access, Bot, Platforms, Row, Section};
use clifford_config::{self as config, Config, ProviderKind, Secrets};
use clifford_vault::{Secret, Url};
use inquire::{
    Confirm, InquireError, MultiSelect, Password, PasswordDisplayMode, Select, Text, list_option::ListOption,
};

use super::{
    answers::{Answers, Connection, Provider, Token},
    invitation, say, section,
};
use crate::cli::probe::{self, Fault};

const OPENAI: &str = "OpenAI";
const ANTHROPIC: &str = "Anthropic";
const OTHER: &str = "Another server with OpenAI's API (Ollama, OpenRouter, …)";
const NONE: &str = "None for now: the offline responder answers";
const PAIRING: &str = "People I let in, each with a code";
const OPEN: &str = "Everybody";
const ALLOWLIST: &str = "People on a list that I write";
const IN_FILE: &str = "In bot.toml, which only you can read then";
const IN_ENVIRONMENT: &str = "In an environment variable, which you set yourself";
const MODEL: &str = "The language model";
const TYPED: &str = "Another one, which I type";

/// The place of the answers: the settings next to them, and the file that is there.
pub(super) struct Asking<'a> {
    /// The settings without any file.
    pub defaults: &'a Config,
    pub env: &'a BTreeMap<String, String>,
    pub platforms: Platforms,
    /// The settings and secrets of the file that is there.
    pub present: Option<(&'a Config, &'a Secrets)>,
}

impl Asking<'_> {
    fn set(&self, name: &str) -> Option<&str> {
        self.env
            .get(name)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty())
    }

    /// The section of a platform in the file that is there, with its token.
    fn connected(&self, row: &Row) -> Option<(&Section, &Secret)> {
        let (config, secrets) = self.present?;
        let section = config.channels.get(row.about.platform.as_str())?;
        Some((section, secrets.token(row.about.platform)?))
    }

    /// Asks, until there is an answer to everything.
    ///
    /// # Errors
    /// The questions were broken off.
    pub(super) async fn all(&self) -> anyhow::Result<Answers> {
        say("Enter takes what is suggested; Esc stops, and nothing is written.")?;
        let mut titles: Vec<_> = self.platforms.rows().map(|row| row.about.title).collect();
        let (question, help) = match self.present {
            None => (
                "Which chat platforms should the bot join?",
                "Space chooses, Enter goes on; `clifford chat` works without any",
            ),
            Some(_) => {
                titles.push(MODEL);
                (
                    "What do you want to change?",
                    "Space chooses, Enter goes on; everything else stays as it is",
                )
            }
        };
        let shown = |chosen: &[ListOption<&&str>]| match chosen {
            [] => "none".to_owned(),
            chosen => chosen.iter().map(|one| *one.value).collect::<Vec<_>>().join(", "),
        };
        let chosen = prompt(|| {
            MultiSelect::new(question, titles)
                .with_help_message(help)
                .with_formatter(&shown)
                .prompt()
        })?;
        let mut answers = Answers::default();
        for row in self.platforms.rows().filter(|row| chosen.contains(&row.about.title)) {
            answers.connections.push(self.connection(row).await?);
        }
        if self.present.is_none() || chosen.contains(&MODEL) {
            answers.provider = self.provider().await?;
        }
        Ok(answers)
    }

    async fn connection(&self, row: &'static Row) -> anyhow::Result<Connection> {
        let section = match self.connected(row) {
            Some((section, _)) => section.clone(),
            None => section(self.defaults, row),
        };
        let (token, bot) = self.token(row, &section).await?;
        if let Some(bot) = &bot {
            invitation::show(row.about.title, bot)?;
        }
        let common = section.common();
        Ok(Connection {
            row,
            token,
            access: access(common.audience.access)?,
            api_url: common.api_url.clone(),
            bot,
        })
    }

    /// A platform's token that the platform accepts, or that could not be checked.
    async fn token(&self, row: &Row, section: &Section) -> anyhow::Result<(Token, Option<Bot>)> {
        let About {
            title, token_variable, ..
        } = section.about();
        let present = self
            .connected(row)
            .map(|(_, token)| (token.clone(), Token::Kept, "the present token".to_owned()));
        let in_environment = self.set(token_variable).map(|token| {
            let name = (*token_variable).to_owned();
            (
                Secret::new(token),
                Token::Environment(name),
                format!("the token in {token_variable}"),
            )
        });
        for (token, kept, called) in present.into_iter().chain(in_environment) {
            if let Judged::Good(bot) = judge(section, &token).await?
                && confirm(&format!("Use {called}?"))?
            {
                return Ok((kept, bot));
            }
        }
        say(row.about.first_steps)?;
        loop {
            let token = needed(&format!("{title} bot token:"))?;
            if let Judged::Good(bot) = judge(section, &token).await? {
                return Ok((store_secret(token, token_variable)?, bot));
            }
        }
    }

    /// A language model that answers, or that could not be checked.
    async fn provider(&self) -> anyhow::Result<Option<Provider>> {
        loop {
            let usual = config::Provider::default();
            let kind = prompt(|| Select::new("Which language model?", vec![OPENAI, ANTHROPIC, OTHER, NONE]).prompt())?;
            let mut settings = match kind {
                NONE => return Ok(None),
                OTHER => {
                    let url = self.set("OPENAI_BASE_URL").unwrap_or("http://127.0.0.1:11434/v1");
                    config::Provider {
                        base_url: base_url(url)?,
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
            let (key, kept) = self.key(kind != OTHER, &settings)?;
            settings.model = self.model(&settings, key.as_ref(), kind == OTHER).await?;
            say("  asking the model …")?;
            match probe::model(&settings, key.as_ref()).await {
                Ok(()) => say("  ✓ it answers")?,
                Err(Fault::Unreachable(why)) => {
                    say(&format!("  ? not checked: {why}; `clifford doctor` tries again"))?;
                }
                Err(Fault::Refused(why)) => {
                    say(&format!("  ✗ {why}"))?;
                    continue;
                }
            }
            let key = match (key, kept) {
                (_, Some(kept)) => Some(kept),
                (Some(key), None) => Some(store_secret(key, settings.key_variable())?),
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

    /// The key, and where it is kept already.
    fn key(&self, is_needed: bool, settings: &config::Provider) -> anyhow::Result<(Option<Secret>, Option<Token>)> {
        let variable = settings.key_variable();
        let present = self.present.and_then(|(config, secrets)| {
            let first = config.llm.providers.first()?;
            let is_same = first.kind == settings.kind && first.base_url == settings.base_url;
            secrets.provider_keys.get(&first.name).filter(|_| is_same)
        });
        if let Some(key) = present
            && confirm("Use the present key?")?
        {
            return Ok((Some(key.clone()), Some(Token::Kept)));
        }
        if let Some(key) = self.set(variable)
            && confirm(&format!("Use the key in {variable}?"))?
        {
            return Ok((Some(Secret::new(key)), Some(Token::Environment(variable.to_owned()))));
        }
        if is_needed {
            return Ok((Some(needed("API key:")?), None));
        }
        let key = secret("API key (empty if it needs none):")?;
        Ok(((!key.expose().is_empty()).then_some(key), None))
    }

    /// One of the models that the server has; where it does not list them, the name is typed.
    async fn model(&self, settings: &config::Provider, key: Option<&Secret>, is_own: bool) -> anyhow::Result<String> {
        let prefix = settings.key_variable().trim_end_matches("_API_KEY");
        let wanted = self.set(&format!("{prefix}_MODEL"));
        let usual = wanted.unwrap_or(&settings.model);
        let mut listed = probe::models(settings, key).await.unwrap_or_default();
        if listed.is_empty() {
            // Another server lacks what OpenAI has.
            let suggested = if is_own && wanted.is_none() { "" } else { usual };
            return typed("Which model?", suggested);
        }
        let start = listed.iter().position(|model| model == usual).unwrap_or(0);
        listed.push(TYPED.to_owned());
        let chosen = prompt(|| {
            Select::new("Which model?", listed)
                .with_starting_cursor(start)
                .with_help_message("type to search")
                .prompt()
        })?;
        if chosen == TYPED {
            return typed("Which model?", usual);
        }
        Ok(chosen)
    }
}

/// A question, in the terminal.
///
/// # Errors
/// It was broken off.
pub(super) fn prompt<T>(question: impl FnOnce() -> Result<T, InquireError>) -> anyhow::Result<T> {
    tokio::task::block_in_place(question).map_err(|error| match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => anyhow!("stopped; nothing was written"),
        other => anyhow!("the terminal cannot be asked: {other}; use --yes"),
    })
}

fn confirm(question: &str) -> anyhow::Result<bool> {
    prompt(|| Confirm::new(question).with_default(true).prompt())
}

/// How a token came out.
enum Judged {
    /// It is accepted, or could not be checked.
    Good(Option<Bot>),
    Refused,
}

/// Says how a check of a token came out.
async fn judge(section: &Section, token: &Secret) -> anyhow::Result<Judged> {
    match section.probe(token).await {
        Ok(bot) => {
            say(&format!("  ✓ this is {}", bot.name))?;
            if let Some(warning) = &bot.warning {
                say(&format!("  ! {} {}; {}", bot.name, warning.found, warning.mend))?;
            }
            Ok(Judged::Good(Some(bot)))
        }
        Err(Fault::Refused(why)) => {
            say(&format!("  ✗ not accepted: {why}"))?;
            Ok(Judged::Refused)
        }
        Err(Fault::Unreachable(why)) => {
            say(&format!("  ? not checked, {why}; `clifford doctor` tries again"))?;
            Ok(Judged::Good(None))
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
    Ok(Secret::new(pasted(&text)))
}

/// A secret that cannot be left out.
fn needed(question: &str) -> anyhow::Result<Secret> {
    loop {
        let secret = secret(question)?;
        if !secret.expose().is_empty() {
            return Ok(secret);
        }
        say("  ✗ nothing was typed")?;
    }
}

/// A secret without what is copied along with it: blanks, and the quotes of a file that it stood in.
fn pasted(text: &str) -> &str {
    let text = text.trim();
    let inside = ['"', '\'', '`']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    inside.map_or(text, str::trim)
}

/// Where a typed secret is kept.
fn store_secret(secret: Secret, variable: &str) -> anyhow::Result<Token> {
    let place = prompt(|| Select::new("Where should it be kept?", vec![IN_FILE, IN_ENVIRONMENT]).prompt())?;
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

fn line(question: &str, usual: &str) -> anyhow::Result<String> {
    let text = prompt(|| Text::new(question).with_default(usual).prompt())?;
    Ok(text.trim().to_owned())
}

/// The address of a server's API.
fn base_url(usual: &str) -> anyhow::Result<Url> {
    loop {
        let text = line("API base URL", usual)?;
        let parsed = reqwest::Url::parse(&text);
        if parsed.is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
            return Ok(Url::from(text));
        }
        say("  ✗ it begins with http:// or https://, such as http://127.0.0.1:11434/v1")?;
    }
}

/// A text that is not empty.
fn typed(question: &str, usual: &str) -> anyhow::Result<String> {
    loop {
        let text = match usual {
            "" => prompt(|| Text::new(question).prompt())?.trim().to_owned(),
            usual => line(question, usual)?,
        };
        if !text.is_empty() {
            return Ok(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pasted;

    #[test]
    fn a_pasted_secret_is_taken_without_what_stood_around_it() {
        for (typed, expected) in [
            ("12:ab", "12:ab"),
            (" 12:ab\t", "12:ab"),
            ("\"12:ab\"", "12:ab"),
            (" '12:ab' ", "12:ab"),
            ("`12:ab`", "12:ab"),
            ("\" 12:ab \"", "12:ab"),
            ("\"\"", ""),
            ("\"", "\""),
            ("12:\"ab", "12:\"ab"),
            ("'12:ab\"", "'12:ab\""),
        ] {
            assert_eq!(pasted(typed), expected, "{typed:?}");
        }
    }
}
