//! Discord as a row: its section of `bot.toml`, how the adapter is made of it, and whose a token is.

use std::{sync::Arc, time::Duration};

use clifford_channel::{
    About, Access, ActKind, Acts, Adapter, Bot, Built, ChannelError, Common, CommonAbout, Fault, Feedback, Id,
    MenuCommand, Warning, ahead,
};
use clifford_text::{Localized, Menu};
use clifford_vault::Secret;
use reqwest::{Client, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serenity::model::permissions::Permissions;

use crate::{Argument, Discord, DiscordConfig, PLATFORM, Shards, SlashCommand, permissions::PIN_MESSAGES};

/// How long the platform may take to say whose a token is.
const PATIENCE: Duration = Duration::from_secs(10);
/// The bot reads what is written, in up to 100 servers without further approval or with it.
const MESSAGE_CONTENT: u64 = (1 << 18) | (1 << 19);

/// The keys of Discord's own in `[channels.discord]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiscordSettings {
    /// Feedback while an answer is prepared: `typing`, `draft` (the answer as it grows), or `reaction` (marks on the
    /// person's message: seen, at work, done, failed).
    pub feedback: Feedback,
    /// Whether buttons below an answer ask if it is good. Reactions (👍, 👎) tell it without.
    pub feedback_buttons: bool,
    /// The number of connections over which its servers are split; `auto`: as many as Discord advises at the start. From
    /// 2,500 servers on Discord wants more than one. Several processes on one PostgreSQL database share them: set the same
    /// number in each. With "0-3/16" a process takes the first four of sixteen and no other.
    pub shards: Shards,
    /// Id of a server to register commands in, at once and nowhere else. Without it: everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 81_384_788_765_712_384_i64)]
    pub dev_guild: Option<Id>,
}

impl Default for DiscordSettings {
    fn default() -> Self {
        Self {
            feedback: Feedback::Typing,
            feedback_buttons: false,
            shards: Shards::AUTO,
            dev_guild: None,
        }
    }
}

impl Adapter for Discord {
    const ABOUT: About = About {
        platform: PLATFORM,
        title: "Discord",
        summary: "Discord, by its gateway.",
        token_variable: "DISCORD_BOT_TOKEN",
        first_steps: "A bot on Discord is made at https://discord.com/developers/applications:\n\
                      1. New Application, and a name.\n\
                      2. Bot → Reset Token, and copy the token.\n\
                      3. On the same page turn on Message Content Intent, and save.",
        token_from: "https://discord.com/developers/applications → your application → Bot",
        common: CommonAbout {
            api_url: "https://discord.com",
            api: "The address of Discord's REST API, which names the gateway's address.",
            access: Access::Open,
            shared: "channels of servers",
            threads: "threads and forum posts",
            follow_threads: true,
            person: "80351110224678912",
            place: "81384788765712384",
        },
        commands: "Discord registers the same commands as slash commands, `/ask QUESTION` besides, and **Ask Clifford** \
                   in the menu of messages (Apps).",
        acts: Some(Acts {
            icon: "🎮",
            kinds: &[
                ActKind::History,
                ActKind::Pin,
                ActKind::Unpin,
                ActKind::Poll,
                ActKind::Thread {
                    called: "thread",
                    about_message: true,
                },
            ],
        }),
    };

    type Config = DiscordSettings;

    fn build(
        common: &Common,
        config: &DiscordSettings,
        token: &Secret,
        menu: &[MenuCommand],
    ) -> Result<Built, ChannelError> {
        let discord = Self::new(DiscordConfig {
            settings: config.clone(),
            commands: std::iter::once(ask()).chain(menu.iter().cloned()).collect(),
            ..DiscordConfig::new(common.api_url.clone(), token.clone())
        })?;
        Ok(Built::actor(Arc::new(discord)))
    }

    async fn probe(common: &Common, token: &Secret) -> Result<Bot, Fault> {
        let root = format!("{}/api/v10", common.api_url.as_str().trim_end_matches('/'));
        let client = Client::builder()
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
            .map_err(|error| Fault::no_answer(&error))?;
        let (user, ahead): (User, _) = get(&client, format!("{root}/users/@me"), token).await?;
        let (application, _): (Application, _) = get(&client, format!("{root}/applications/@me"), token).await?;
        let warning = (application.flags & MESSAGE_CONTENT == 0).then(|| Warning {
            found:
                "lacks the Message Content intent: in servers it hears mentions, replies that ping it and commands only"
                    .to_owned(),
            mend: format!("turn on Message Content Intent at {}", Self::ABOUT.token_from),
        });
        Ok(Bot {
            name: user.username,
            about: "may read messages".to_owned(),
            invite: application.id.map(|id| invite(&id)),
            warning,
            ahead,
        })
    }
}

/// The permissions that the adapter needs in servers: it speaks and shows files, also in threads that it begins, reads
/// what it missed, marks messages, pins them, and asks in polls.
fn needed() -> Permissions {
    Permissions::VIEW_CHANNEL
        | Permissions::SEND_MESSAGES
        | Permissions::SEND_MESSAGES_IN_THREADS
        | Permissions::CREATE_PUBLIC_THREADS
        | Permissions::EMBED_LINKS
        | Permissions::ATTACH_FILES
        | Permissions::READ_MESSAGE_HISTORY
        | Permissions::ADD_REACTIONS
        | Permissions::SEND_VOICE_MESSAGES
        | Permissions::SEND_POLLS
        | PIN_MESSAGES
}

/// The address by which somebody who manages a server brings the bot in, with its slash commands:
/// <https://docs.discord.com/developers/topics/oauth2#bot-authorization-flow>
fn invite(application: &str) -> String {
    format!(
        "https://discord.com/oauth2/authorize?client_id={application}&scope=bot+applications.commands&permissions={}",
        needed().bits()
    )
}

/// `/ask` speaks to the bot as a mention does.
fn ask() -> SlashCommand {
    SlashCommand {
        name: "ask".to_owned(),
        description: Localized::of(&Menu::Ask),
        arguments: vec![Argument {
            name: "text".to_owned(),
            description: Localized::of(&Menu::AskText),
            required: true,
            completes: false,
            choices: Vec::new(),
        }],
        private: false,
        personal: false,
        shared: clifford_channel::ShownTo::default(),
    }
}

#[derive(Deserialize)]
struct User {
    username: String,
}

#[derive(Deserialize)]
struct Application {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    flags: u64,
}

/// Why Discord does not tell whose a token is. Nothing else of such a request can be wrong but its token.
/// <https://docs.discord.com/developers/topics/opcodes-and-status-codes#http>
fn refused(status: u16, body: &[u8]) -> Fault {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Refusal {
        message: String,
    }
    let Refusal { message } = serde_json::from_slice(body).unwrap_or_default();
    let said = match message.is_empty() {
        true => format!("HTTP {status}"),
        false => message,
    };
    Fault::of_status(
        status,
        match status {
            400 | 401 => format!("Discord does not know the token (it says: {said})"),
            _ => format!("Discord says: {said}"),
        },
    )
}

/// An answer, and how far this machine's clock is ahead.
async fn get<T: DeserializeOwned>(client: &Client, url: String, token: &Secret) -> Result<(T, Option<i64>), Fault> {
    let authorization = header::HeaderValue::from_str(&format!("Bot {}", token.expose().trim()))
        .map_err(|_| Fault::Refused("the token has characters that no token has".to_owned()))?;
    let no_answer = |error: reqwest::Error| Fault::no_answer(&error.without_url());
    let request = client.get(url).header(header::AUTHORIZATION, authorization);
    let response = request.send().await.map_err(no_answer)?;
    let status = response.status();
    let date = response.headers().get(header::DATE);
    let ahead = date.and_then(|date| ahead(date.to_str().ok()?));
    let body = response.bytes().await.map_err(no_answer)?;
    if !status.is_success() {
        return Err(refused(status.as_u16(), &body));
    }
    let read = serde_json::from_slice(&body).map_err(|_| {
        let said = format!("the answer ({status}) is not this platform's; check api_url");
        Fault::of_status(status.as_u16(), said)
    })?;
    Ok((read, ahead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_is_wrong() {
        let said = |status, body: &str| refused(status, body.as_bytes()).to_string();
        assert_eq!(
            said(401, r#"{"message": "401: Unauthorized", "code": 0}"#),
            "Discord does not know the token (it says: 401: Unauthorized)"
        );
        assert_eq!(
            said(400, "<html>"),
            "Discord does not know the token (it says: HTTP 400)"
        );
        assert_eq!(said(503, ""), "Discord says: HTTP 503");
        assert!(matches!(refused(503, b""), Fault::Unreachable(_)));
        assert!(matches!(refused(401, b""), Fault::Refused(_)));
    }
}
