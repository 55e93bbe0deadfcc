//! Telegram as a row: its section of `bot.toml`, how the adapter is made of it, and whose a token is (`getMe`).

use std::{sync::Arc, time::Duration};

use clifford_channel::{
    About, Access, Adapter, Bot, Built, ChannelConfig, ChannelError, Common, Fault, Feedback, Id, MenuCommand, ahead,
};
use clifford_vault::{Secret, SecretSource, Url};
use reqwest::header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PLATFORM, Rates, Telegram, TelegramConfig};

const TOKEN_VARIABLE: &str = "TELEGRAM_BOT_TOKEN";
/// How long the platform may take to say whose a token is.
const PATIENCE: Duration = Duration::from_secs(10);

/// Telegram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Whether Clifford is on Telegram.
    pub enabled: bool,
    /// The bot's token, from @BotFather.
    #[schemars(extend("writeOnly" = true))]
    pub token: SecretSource,
    /// Telegram's own Bot API server, or one of yours.
    #[schemars(extend("format" = "http-url"))]
    pub api_url: Url,
    /// Who may talk to the bot in private: `open` (everybody), `pairing` (whom the owner approves) or `allowlist`.
    pub access: Access,
    /// Ids of the people who may talk to the bot under `pairing` and `allowlist` without being
    /// approved: `[123456789]`.
    pub allow: Vec<Id>,
    /// Words that call the bot in a group, beside its @name.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub wake_words: Vec<String>,
    /// Ids of the groups in which every message is answered: `[-1001234567890]`.
    pub always: Vec<Id>,
    /// What is seen while an answer is made: `typing`, or `draft` (the answer as it grows, in private chats, where Telegram lets the bot do that).
    pub feedback: Feedback,
    /// How long Telegram may hold a poll open while there is nothing new.
    #[schemars(range(min = 0, max = 50))]
    pub poll_seconds: u64,
    /// How many messages go out in a second, to all chats; 0 = any number.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_overall_per_second: u32,
    /// How many messages go out in a second to one private chat; 0 = any number.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_private_per_second: u32,
    /// How many messages go out in a minute to one group; 0 = any number.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_group_per_minute: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            token: SecretSource::Env(TOKEN_VARIABLE.to_owned()),
            api_url: "https://api.telegram.org".into(),
            access: Access::Pairing,
            allow: Vec::new(),
            wake_words: vec!["Clifford".to_owned()],
            always: Vec::new(),
            feedback: Feedback::Typing,
            poll_seconds: 30,
            rate_overall_per_second: 30,
            rate_private_per_second: 1,
            rate_group_per_minute: 20,
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

impl Adapter for Telegram {
    const ABOUT: About = About {
        platform: PLATFORM,
        title: "Telegram",
        summary: "Telegram, by long polling.",
        token_variable: TOKEN_VARIABLE,
        first_steps: "A Telegram bot is made by writing /newbot to @BotFather; he gives you its token.",
        token_from: "@BotFather (/mybots, API Token)",
    };

    type Config = Settings;

    fn build(config: &Settings, token: &Secret, menu: &[MenuCommand]) -> Result<Built, ChannelError> {
        let api_url = config.api_url.as_str().parse().map_err(|_| {
            ChannelError::Misconfigured(format!("channels.telegram.api_url: `{}` is no address", config.api_url))
        })?;
        let telegram = Self::new(TelegramConfig {
            token: token.expose().to_owned(),
            api_url,
            poll_timeout: Duration::from_secs(config.poll_seconds),
            rates: Rates {
                per_second: config.rate_overall_per_second,
                private_per_second: config.rate_private_per_second,
                group_per_minute: config.rate_group_per_minute,
            },
            commands: menu
                .iter()
                .map(|command| (command.name.clone(), command.description.clone()))
                .collect(),
            drafts: config.feedback == Feedback::Draft,
        })?;
        Ok(Built::actor(Arc::new(telegram)))
    }

    async fn probe(config: &Settings, token: &Secret) -> Result<Bot, Fault> {
        let root = config.api_url.as_str().trim_end_matches('/');
        let url = format!("{root}/bot{}/getMe", token.expose().trim());
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Fault::no_answer(&error))?;
        // Without the address, which holds the token.
        let no_answer = |error: reqwest::Error| Fault::no_answer(&error.without_url());
        let response = client.post(url).send().await.map_err(no_answer)?;
        let status = response.status();
        let date = response.headers().get(header::DATE);
        let ahead = date.and_then(|date| ahead(date.to_str().ok()?));
        let body = response.bytes().await.map_err(no_answer)?;
        let answer: Answer = serde_json::from_slice(&body).map_err(|_| {
            let said = format!("the answer ({status}) is not this platform's; check api_url");
            Fault::of_status(status.as_u16(), said)
        })?;
        let Some(me) = answer.result else {
            let said = answer.description.unwrap_or_else(|| status.to_string());
            return Err(Fault::of_status(status.as_u16(), format!("Telegram says: {said}")));
        };
        let about = if me.can_read_all_group_messages {
            "reads all messages in groups"
        } else {
            "in groups reads commands, mentions and replies (privacy mode: /setprivacy at @BotFather)"
        };
        Ok(Bot {
            name: format!("@{}", me.username),
            about: about.to_owned(),
            warning: None,
            ahead,
        })
    }
}

/// The answer of `getMe`.
#[derive(Deserialize)]
struct Answer {
    result: Option<Me>,
    description: Option<String>,
}

#[derive(Deserialize)]
struct Me {
    username: String,
    #[serde(default)]
    can_read_all_group_messages: bool,
}
