//! Discord as a row: its section of `bot.toml`, how the adapter is made of it, and whose a token is.

use std::{sync::Arc, time::Duration};

use clifford_channel::{
    About, Access, Adapter, Bot, Built, ChannelConfig, ChannelError, Common, Fault, Feedback, Id, MenuCommand, Warning,
    ahead,
};
use clifford_vault::{Secret, SecretSource, Url};
use reqwest::{Client, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Argument, Discord, DiscordConfig, PLATFORM, SlashCommand};

const TOKEN_VARIABLE: &str = "DISCORD_BOT_TOKEN";
/// How long the platform may take to say whose a token is.
const PATIENCE: Duration = Duration::from_secs(10);
/// The bot reads what is written, in up to 100 servers without further approval or with it.
const MESSAGE_CONTENT: u64 = (1 << 18) | (1 << 19);

/// Discord.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether Clifford is on Discord.
    pub enabled: bool,
    /// The bot's token, from Discord's developer portal.
    #[schemars(extend("writeOnly" = true))]
    pub token: SecretSource,
    /// Where Discord's REST API is; the gateway's address is taken from its answer.
    #[schemars(extend("format" = "http-url"))]
    pub api_url: Url,
    /// Who may talk to the bot in private: `open` (everybody), `pairing` (whom the owner approves) or `allowlist`.
    pub access: Access,
    /// Ids of the people who may talk to the bot under `pairing` and `allowlist` without being
    /// approved: `[80351110224678912]`.
    pub allow: Vec<Id>,
    /// Words that call the bot in a server's channel, beside its @name.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub wake_words: Vec<String>,
    /// Ids of the channels in which every message is answered: `[81384788765712384]`.
    pub always: Vec<Id>,
    /// What is seen while an answer is made: `typing`, or `draft` (the answer as it grows).
    pub feedback: Feedback,
    /// Over how many connections its servers are split: from 2,500 servers on Discord wants more than one. Several
    /// processes on one PostgreSQL database share them.
    #[schemars(range(min = 1, max = 1000))]
    pub shards: u32,
    /// Id of a server in which commands are registered at once and alone. Without it: everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 81_384_788_765_712_384_i64)]
    pub dev_guild: Option<Id>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            token: SecretSource::Env(TOKEN_VARIABLE.to_owned()),
            api_url: "https://discord.com".into(),
            access: Access::Open,
            allow: Vec::new(),
            wake_words: vec!["Clifford".to_owned()],
            always: Vec::new(),
            feedback: Feedback::Typing,
            shards: 1,
            dev_guild: None,
        }
    }
}

impl ChannelConfig for Settings {
    fn common(&self) -> Common<'_> {
        Common {
            enabled: self.enabled,
            token: &self.token,
            api_url: &self.api_url,
            access: self.access,
            allow: &self.allow,
            wake_words: &self.wake_words,
            always: &self.always,
        }
    }
}

impl Adapter for Discord {
    const ABOUT: About = About {
        platform: PLATFORM,
        title: "Discord",
        summary: "Discord, by its gateway.",
        token_variable: TOKEN_VARIABLE,
        first_steps: "A Discord bot is made at https://discord.com/developers/applications: New Application → Bot → \
                      Reset Token.\nTurn on Message Content Intent there as well.",
        token_from: "https://discord.com/developers/applications → your application → Bot",
    };

    type Config = Settings;

    fn build(config: &Settings, token: &Secret, menu: &[MenuCommand]) -> Result<Built, ChannelError> {
        let mut discord = DiscordConfig::new(token.expose());
        discord.api_url = config.api_url.as_str().trim_end_matches('/').to_owned();
        discord.dev_guild = config.dev_guild.as_ref().and_then(|guild| guild.as_str().parse().ok());
        discord.commands = std::iter::once(ask()).chain(menu.iter().cloned()).collect();
        discord.drafts = config.feedback == Feedback::Draft;
        discord.shards = config.shards;
        Ok(Built::actor(Arc::new(Self::new(discord)?)))
    }

    async fn probe(config: &Settings, token: &Secret) -> Result<Bot, Fault> {
        let root = format!("{}/api/v10", config.api_url.as_str().trim_end_matches('/'));
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
            found: "lacks the message content intent: it sees no text in servers".to_owned(),
            mend: format!("turn on Message Content Intent at {}", Self::ABOUT.token_from),
        });
        Ok(Bot {
            name: user.username,
            about: "may read messages".to_owned(),
            warning,
            ahead,
        })
    }
}

/// `/ask` speaks to the bot as a mention does.
fn ask() -> SlashCommand {
    SlashCommand {
        name: "ask".to_owned(),
        description: "Ask me something".to_owned(),
        arguments: vec![Argument {
            name: "text".to_owned(),
            description: "What to ask".to_owned(),
            required: true,
            completes: false,
            choices: Vec::new(),
        }],
        private: false,
    }
}

#[derive(Deserialize)]
struct User {
    username: String,
}

#[derive(Deserialize)]
struct Application {
    #[serde(default)]
    flags: u64,
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
    if !status.is_success() {
        return Err(Fault::of_status(status.as_u16(), format!("Discord says: {status}")));
    }
    let body = response.bytes().await.map_err(no_answer)?;
    let read = serde_json::from_slice(&body).map_err(|_| {
        let said = format!("the answer ({status}) is not this platform's; check api_url");
        Fault::of_status(status.as_u16(), said)
    })?;
    Ok((read, ahead))
}
