//! Telegram as a row: its section of `bot.toml`, how the adapter is made of it, and whose a token is (`getMe`).

use std::{path::PathBuf, sync::Arc, time::Duration};

use clifford_channel::{
    About, Access, ActKind, Acts, Adapter, Bot, Built, ChannelError, Common, CommonAbout, Fault, Feedback, MenuCommand,
    ahead,
};
use clifford_vault::{Secret, Url};
use reqwest::header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PLATFORM, Telegram};

/// How long the platform may take to say whose a token is.
const PATIENCE: Duration = Duration::from_secs(10);

/// The keys of Telegram's own in `[channels.telegram]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TelegramSettings {
    /// Feedback while an answer is prepared: `typing`, `draft` (the answer as it grows: in private chats by Telegram's
    /// drafts, with a button that stops it, else by edits), or `reaction` (marks on the person's message: seen, at work,
    /// done, failed).
    pub feedback: Feedback,
    /// Whether buttons below an answer ask if it is good. Reactions (👍, 👎) tell it without: in groups where the bot is an
    /// administrator.
    pub feedback_buttons: bool,
    /// Whether an answer with a table goes as a rich message, which shows it as one. Apps from before June 2026 ask to be
    /// updated in its place; a server of yours that knows none gets the table as lines of code.
    pub rich: bool,
    /// How updates come: `polling` (Clifford asks for them), or `webhook` (Telegram brings them to `webhook_url`).
    pub receive: Receiving,
    /// The public address at which Telegram reaches this bot, with a path of its own. A proxy with TLS passes that path
    /// on to `http.bind`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "https://bot.example.org/telegram")]
    pub webhook_url: Option<Url>,
    /// The most requests that Telegram makes to `webhook_url` at a time.
    #[schemars(range(min = 1, max = 100))]
    pub webhook_connections: u8,
    /// Whether `api_url` is a server of yours in local mode (`telegram-bot-api --local`): files up to 2 GB, read from
    /// its directory.
    pub local: bool,
    /// The working directory of that server, under the same path here. Files are read from nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", length(min = 1), example = "/var/lib/telegram-bot-api")]
    pub local_dir: Option<PathBuf>,
    /// The longest time that Telegram holds a poll open while there is nothing new; with a webhook, how often its state
    /// is asked for.
    #[schemars(range(min = 0, max = 50))]
    pub poll_seconds: u32,
    /// The most messages a second to all chats, on average: bursts go out at once until Telegram complains; 0 = no limit.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_overall_per_second: u32,
    /// The most messages a second to one private chat, on average; 0 = no limit.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_private_per_second: u32,
    /// The most messages a minute to one group, which may come at once; 0 = no limit.
    #[schemars(range(min = 0, max = 100_000))]
    pub rate_group_per_minute: u32,
}

/// How updates come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Receiving {
    /// The bot asks for them.
    #[default]
    Polling,
    /// Telegram brings them.
    Webhook,
}

impl Default for TelegramSettings {
    fn default() -> Self {
        Self {
            feedback: Feedback::Typing,
            feedback_buttons: false,
            rich: true,
            receive: Receiving::Polling,
            webhook_url: None,
            webhook_connections: 40,
            local: false,
            local_dir: None,
            poll_seconds: 30,
            rate_overall_per_second: 30,
            rate_private_per_second: 1,
            rate_group_per_minute: 20,
        }
    }
}

impl TelegramSettings {
    /// The defaults without rates, for a Bot API server that sets none.
    pub fn unlimited() -> Self {
        Self {
            rate_overall_per_second: 0,
            rate_private_per_second: 0,
            rate_group_per_minute: 0,
            ..Self::default()
        }
    }
}

impl Adapter for Telegram {
    const ABOUT: About = About {
        platform: PLATFORM,
        title: "Telegram",
        summary: "Telegram, by long polling or by a webhook.",
        token_variable: "TELEGRAM_BOT_TOKEN",
        first_steps: "A bot on Telegram is made in a chat with @BotFather (https://t.me/BotFather):\n\
                      1. Send /newbot, then a name, then a user name that ends in `bot`.\n\
                      2. Copy the token that he answers with.\n\
                      3. Send /setprivacy and choose Disable, if it shall read along in groups.",
        token_from: "@BotFather (/mybots, API Token)",
        common: CommonAbout {
            api_url: "https://api.telegram.org",
            api: "Telegram's own Bot API server, or one of yours.",
            access: Access::Pairing,
            shared: "groups",
            threads: "topics",
            follow_threads: false,
            person: "123456789",
            place: "-1001234567890",
        },
        commands: "In a group of Telegram a command may name its bot: `/help@your_bot`.",
        acts: Some(Acts {
            icon: "✈️",
            kinds: &[
                ActKind::Pin,
                ActKind::Unpin,
                ActKind::Poll,
                ActKind::Thread {
                    called: "topic",
                    about_message: false,
                },
            ],
        }),
    };

    type Config = TelegramSettings;

    fn build(
        common: &Common,
        config: &TelegramSettings,
        token: &Secret,
        menu: &[MenuCommand],
    ) -> Result<Built, ChannelError> {
        let telegram = Self::new(&common.api_url, token, config, menu)?;
        Ok(Built::actor(Arc::new(telegram)))
    }

    async fn probe(common: &Common, token: &Secret) -> Result<Bot, Fault> {
        let root = common.api_url.as_str().trim_end_matches('/');
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
            invite: Some(format!("https://t.me/{}", me.username)),
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
