//! Asks platforms and providers whether they accept a token: for `init` and `doctor`.

use std::{error::Error as _, time::Duration};

use clifford_config::Provider;
use clifford_llm_api::model::{Message, Model, ModelError, Request, Role};
use clifford_vault::Secret;
use reqwest::{Response, StatusCode, header};
use serde::{Deserialize, de::DeserializeOwned};

use super::setup;
use crate::app;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a model's answer may take.
const MODEL_PATIENCE_SECONDS: u64 = 30;
/// Discord: the bot reads what is written, in up to 100 servers without further approval or with it.
const MESSAGE_CONTENT: u64 = (1 << 18) | (1 << 19);

/// Why a check came to no good end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// The other side was asked, and says no: the token or the setting must be mended.
    #[error("{0}")]
    Refused(String),
    /// There was no answer that says anything of the token: try again later.
    #[error("{0}")]
    Unreachable(String),
}

/// A bot that a platform knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bot {
    /// Its name there.
    pub name: String,
    /// It sees what is written in shared places without being mentioned (Telegram), or the texts of messages at
    /// all (Discord).
    pub reads_all: bool,
    /// How far this machine's clock is ahead of the platform's, in seconds, if it told the time.
    pub ahead: Option<i64>,
}

#[derive(Deserialize)]
struct Telegram {
    result: Option<TelegramBot>,
    description: Option<String>,
}

#[derive(Deserialize)]
struct TelegramBot {
    username: String,
    #[serde(default)]
    can_read_all_group_messages: bool,
}

#[derive(Deserialize)]
struct DiscordUser {
    username: String,
}

#[derive(Deserialize)]
struct DiscordApplication {
    #[serde(default)]
    flags: u64,
}

/// The bot that a Telegram token belongs to (`getMe`).
///
/// # Errors
/// [`Fault`].
pub(super) async fn telegram(api_url: &str, token: &str) -> Result<Bot, Fault> {
    let url = format!("{}/bot{}/getMe", api_url.trim_end_matches('/'), token.trim());
    let response = client()?.post(url).send().await.map_err(unreachable)?;
    let ahead = ahead(&response);
    let status = response.status();
    let answer: Telegram = read(response).await?;
    match answer.result {
        Some(bot) => Ok(Bot {
            name: format!("@{}", bot.username),
            reads_all: bot.can_read_all_group_messages,
            ahead,
        }),
        None => Err(judge(
            status,
            format!(
                "Telegram says: {}",
                answer.description.unwrap_or_else(|| status.to_string())
            ),
        )),
    }
}

/// The bot that a Discord token belongs to (`/users/@me` and `/applications/@me`).
///
/// # Errors
/// [`Fault`].
pub(super) async fn discord(api_url: &str, token: &str) -> Result<Bot, Fault> {
    let root = format!("{}/api/v10", api_url.trim_end_matches('/'));
    let (user, ahead): (DiscordUser, _) = discord_get(&format!("{root}/users/@me"), token).await?;
    let (application, _): (DiscordApplication, _) = discord_get(&format!("{root}/applications/@me"), token).await?;
    Ok(Bot {
        name: user.username,
        reads_all: application.flags & MESSAGE_CONTENT != 0,
        ahead,
    })
}

async fn discord_get<T: DeserializeOwned>(url: &str, token: &str) -> Result<(T, Option<i64>), Fault> {
    let authorization = header::HeaderValue::from_str(&format!("Bot {}", token.trim()))
        .map_err(|_| Fault::Refused("the token has characters that no token has".to_owned()))?;
    let response = client()?
        .get(url)
        .header(header::AUTHORIZATION, authorization)
        .send()
        .await
        .map_err(unreachable)?;
    let ahead = ahead(&response);
    let status = response.status();
    if !status.is_success() {
        return Err(judge(status, format!("Discord says: {status}")));
    }
    Ok((read(response).await?, ahead))
}

/// Whether a model answers: one short call.
///
/// # Errors
/// [`Fault`].
pub(super) async fn model(provider: &Provider, key: Option<&Secret>) -> Result<(), Fault> {
    let mut provider = provider.clone();
    provider.timeout_seconds = provider.timeout_seconds.min(MODEL_PATIENCE_SECONDS);
    let model = app::provider(&provider, key).map_err(|error| Fault::Refused(error.to_string()))?;
    let request = Request {
        messages: vec![Message {
            role: Role::User,
            content: "Reply with the word OK.".to_owned(),
        }],
        max_tokens: Some(16),
        ..Request::default()
    };
    match model.complete(&request, &mut ()).await {
        // One that is cut off, or asks for patience, knows the key and the model.
        Ok(_) | Err(ModelError::Cut { .. } | ModelError::Later { .. } | ModelError::Refused { .. }) => Ok(()),
        Err(error @ (ModelError::Overloaded { .. } | ModelError::Silent { .. })) => {
            Err(Fault::Unreachable(error.to_string()))
        }
        Err(error) => Err(Fault::Refused(error.to_string())),
    }
}

fn client() -> Result<reqwest::Client, Fault> {
    reqwest::Client::builder()
        .user_agent(concat!(
            "DiscordBot (",
            env!("CARGO_PKG_REPOSITORY"),
            ", ",
            env!("CARGO_PKG_VERSION"),
            ")"
        ))
        .timeout(PATIENCE)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| Fault::Unreachable(format!("no HTTPS client: {error}")))
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Fault> {
    let status = response.status();
    let body = response.bytes().await.map_err(unreachable)?;
    serde_json::from_slice(&body).map_err(|_| {
        judge(
            status,
            format!("the answer ({status}) is not this platform's; check api_url"),
        )
    })
}

/// A refusal is for good; a failure of the server passes.
fn judge(status: StatusCode, said: String) -> Fault {
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        Fault::Unreachable(said)
    } else {
        Fault::Refused(said)
    }
}

/// Without the address, which holds Telegram's token.
fn unreachable(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    Fault::Unreachable(format!("no answer: {text}"))
}

fn ahead(response: &Response) -> Option<i64> {
    let date = response.headers().get(header::DATE)?.to_str().ok()?;
    let there = jiff::fmt::rfc2822::parse(date).ok()?.timestamp();
    Some(setup::now().to_jiff().as_second() - there.as_second())
}
