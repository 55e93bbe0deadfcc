//! The webhook: updates that Telegram brings, one a request.
//!
//! The secret of its header follows from the bot's token, so every process knows it and nobody has to keep it. Requests
//! are taken by any process that serves HTTP; the one that holds the connection's lease sets the webhook
//! ([`receive`]), and asks from time to time how it does. Telegram brings the updates of a chat one after the other;
//! here too they are handed in so.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use clifford_channel::{Accepted, ChannelError, Inbound, Ingress, IngressError, Webhook};
use clifford_vault::{Secret, is_signed, sign};
use futures::channel::oneshot;
use jiff::Timestamp;
use serde::{Deserialize, de::IgnoredAny};
use teloxide::payloads::{GetWebhookInfo, SetWebhook};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{
    Telegram,
    answer::{Query, answer_one},
    api::{ApiError, CALL_TIMEOUT},
    lane::Lane,
    link::{Link, delays},
    platform::{Receiving, TelegramSettings},
    press::query_id,
    read::{Wanting, inbound, wanted},
    refuse,
};

/// The header that holds the secret.
const HEADER: &str = "x-telegram-bot-api-secret-token";
/// The message that the token signs to give the secret.
const SIGNED: &[u8] = b"webhook";
/// The ports that Telegram's own server calls.
const PORTS: [u16; 4] = [80, 88, 443, 8443];
/// Paths of the HTTP API: no webhook takes them.
const TAKEN: [&str; 5] = ["/", "/api", "/healthz", "/readyz", "/metrics"];
/// Chats are spread over so many turns.
const TURNS: usize = 256;
/// Attempts to hand an update in before Telegram is asked to bring it again.
const ATTEMPTS: usize = 3;

/// A bot's webhook.
pub(crate) struct Hook {
    url: url::Url,
    host: String,
    token: Secret,
    connections: u8,
    /// The updates of a chat wait for each other.
    turns: Vec<Mutex<()>>,
}

// The token stays out of sight.
impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hook")
            .field("path", &self.url.path())
            .finish_non_exhaustive()
    }
}

impl Hook {
    /// The webhook of the settings, if they have one.
    ///
    /// # Errors
    /// Telegram could not reach it.
    pub(crate) fn of(settings: &TelegramSettings, token: &Secret) -> Result<Option<Self>, ChannelError> {
        if settings.receive == Receiving::Polling {
            return Ok(None);
        }
        let Some(address) = &settings.webhook_url else {
            return Err(ChannelError::Misconfigured(
                "channels.telegram.receive is `webhook`, but channels.telegram.webhook_url is not set: give the public \
                 https address at which Telegram reaches this bot, such as https://bot.example.org/telegram, or set \
                 receive = \"polling\""
                    .to_owned(),
            ));
        };
        let bad = |why: &str| ChannelError::Misconfigured(format!("channels.telegram.webhook_url {why}"));
        let url = url::Url::parse(address.as_str()).map_err(|_| bad("is no address"))?;
        let Some(host) = url.host_str().map(str::to_owned) else {
            return Err(bad("names no host"));
        };
        match url.scheme() {
            "https" => {}
            "http" if settings.local => {}
            _ => {
                return Err(bad(
                    "must begin with https:// (a server of yours with local = true takes http:// too)",
                ));
            }
        }
        if !settings.local && !url.port_or_known_default().is_some_and(|port| PORTS.contains(&port)) {
            return Err(bad(
                "has a port that Telegram does not call: it calls 443, 80, 88 and 8443",
            ));
        }
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(bad("must be an address without user, query and fragment"));
        }
        if TAKEN.contains(&url.path()) || url.path().starts_with("/api/") {
            return Err(bad("needs a path of its own, such as /telegram"));
        }
        Ok(Some(Self {
            host,
            url,
            token: token.clone(),
            connections: settings.webhook_connections,
            turns: std::iter::repeat_with(Mutex::default).take(TURNS).collect(),
        }))
    }

    /// The value of the header: it follows from the token, which nobody else knows.
    fn secret(&self) -> String {
        sign(self.token.expose(), &[SIGNED])
    }

    fn turn(&self, lane: &Lane) -> Option<&Mutex<()>> {
        let Lane::Place(chat) = lane else { return None };
        let mut hasher = DefaultHasher::new();
        chat.hash(&mut hasher);
        let count = u64::try_from(self.turns.len()).unwrap_or(1).max(1);
        self.turns
            .get(usize::try_from(hasher.finish() % count).unwrap_or_default())
    }
}

#[async_trait]
impl Webhook for Telegram {
    fn host(&self) -> &str {
        self.hook.as_ref().map_or("", |hook| &hook.host)
    }

    fn path(&self) -> &str {
        self.hook.as_ref().map_or("", |hook| hook.url.path())
    }

    fn header(&self) -> &'static str {
        HEADER
    }

    fn admits(&self, value: &[u8]) -> bool {
        let (Some(hook), Ok(value)) = (&self.hook, std::str::from_utf8(value)) else {
            return false;
        };
        is_signed(hook.token.expose(), &[SIGNED], value)
    }

    async fn take(&self, body: Bytes, ingress: &dyn Ingress) -> Result<(), IngressError> {
        let raw = String::from_utf8_lossy(&body);
        let me = self.me().await.map_err(|error| {
            tracing::debug!(?error, "failed to ask Telegram for the bot's account");
            IngressError::Unavailable("Telegram does not tell the bot's account".to_owned())
        })?;
        let mut event = inbound(&raw, me, Timestamp::now());
        self.cuts.join(&mut event);
        self.stops.look_up(&mut event);
        self.untitled.note(&raw);
        let (alert, text) = oneshot::channel();
        let query = query_id(&raw).map(|id| Query {
            id,
            alert: event.is_some().then_some(text),
        });
        let is_press = query.is_some();
        let taking = async {
            let Some(event) = event else { return Ok(()) };
            let accepted = self.hand_in(event.clone(), ingress).await?;
            self.name_topic(&event, &accepted).await;
            match accepted {
                // The query was answered without it, if this took too long.
                Accepted::Refused(text) if is_press => drop(alert.send(text)),
                Accepted::Refused(text) => refuse::tell(self, &event, &text).await,
                _ => {}
            }
            Ok(())
        };
        let answering = async {
            if let Some(query) = query {
                answer_one(&self.api, query, &CancellationToken::new()).await;
            }
        };
        tokio::join!(taking, answering).0
    }
}

impl Telegram {
    /// Hands an event in, behind those of its chat that came before.
    async fn hand_in(&self, event: Inbound, ingress: &dyn Ingress) -> Result<Accepted, IngressError> {
        let turn = self.hook.as_ref().and_then(|hook| hook.turn(&Lane::of(&event)));
        let _turn = match turn {
            Some(turn) => Some(turn.lock().await),
            None => None,
        };
        let mut delays = delays().take(ATTEMPTS - 1);
        loop {
            let error = match ingress.accept(event.clone()).await {
                Ok(accepted) => return Ok(accepted),
                Err(error) => error,
            };
            let Some(wait) = delays.next() else { return Err(error) };
            tracing::warn!(%error, wait_ms = wait.as_millis(), "failed to accept update, retrying");
            tokio::time::sleep(wait).await;
        }
    }
}

/// Telegram's report of a webhook.
#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    url: String,
    #[serde(default)]
    pending_update_count: u64,
    #[serde(default)]
    last_error_date: i64,
    #[serde(default)]
    last_error_message: String,
}

/// Sets the webhook, and watches it until `stop`.
///
/// # Errors
/// Telegram refuses the address, or the token.
pub(crate) async fn receive(
    telegram: &Telegram,
    hook: &Hook,
    link: &mut Link<'_>,
    stop: &CancellationToken,
) -> Result<(), ChannelError> {
    let every = Duration::from_secs(telegram.settings.poll_seconds.max(1).into());
    let mut known_error = None;
    let mut is_set = false;
    loop {
        let step = async {
            if !is_set {
                set(telegram, hook).await?;
            }
            telegram.api.call::<_, Info>(&GetWebhookInfo::new(), CALL_TIMEOUT).await
        };
        let Some(answer) = stop.run_until_cancelled(step).await else {
            return Ok(());
        };
        let wait = match answer {
            Ok(info) => {
                is_set = info.url == hook.url.as_str();
                // An error of before is no news: Telegram keeps the last one for good.
                let before = *known_error.get_or_insert(info.last_error_date);
                if info.pending_update_count > 0 && before < info.last_error_date {
                    link.told(format!(
                        "Telegram does not reach webhook_url: {}",
                        info.last_error_message
                    ));
                } else {
                    link.up();
                }
                every
            }
            Err(ApiError::Refused { code: 400, description }) => {
                return Err(ChannelError::Misconfigured(format!(
                    "Telegram refuses channels.telegram.webhook_url ({description}): mend the address, or set receive = \
                     \"polling\""
                )));
            }
            Err(error) => link.down(error)?,
        };
        if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return Ok(());
        }
    }
}

/// Sets the webhook. Doing it again changes nothing; updates that wait are brought.
async fn set(telegram: &Telegram, hook: &Hook) -> Result<(), ApiError> {
    let mut request = SetWebhook::new(hook.url.clone());
    request.max_connections = Some(hook.connections);
    request.drop_pending_updates = Some(false);
    request.secret_token = Some(hook.secret());
    let request = Wanting {
        request,
        allowed_updates: wanted(telegram.me().await?),
    };
    telegram.api.call::<_, IgnoredAny>(&request, CALL_TIMEOUT).await?;
    tracing::info!(host = hook.host, path = hook.url.path(), "set the webhook");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(url: Option<&str>, local: bool) -> Result<Option<Hook>, String> {
        let settings = TelegramSettings {
            receive: Receiving::Webhook,
            webhook_url: url.map(Into::into),
            local,
            ..TelegramSettings::default()
        };
        Hook::of(&settings, &Secret::new("1:a")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_webhook_that_telegram_cannot_reach_names_its_setting_and_the_way_out() {
        for (url, local, expected) in [
            (None, false, "is not set"),
            (Some("bot.example.org"), false, "is no address"),
            (Some("http://bot.example.org/telegram"), false, "https://"),
            (Some("https://bot.example.org:8080/telegram"), false, "8443"),
            (Some("https://bot.example.org"), false, "path of its own"),
            (Some("https://bot.example.org/api/hooks/x"), false, "path of its own"),
            (Some("https://bot.example.org/readyz"), true, "path of its own"),
            (
                Some("https://me:secret@bot.example.org/telegram"),
                false,
                "without user",
            ),
            (Some("https://bot.example.org/telegram?x=1"), false, "without user"),
            (Some("ftp://bot.example.org/telegram"), true, "https://"),
        ] {
            let error = hook(url, local).unwrap_err();
            assert!(error.starts_with("channels.telegram."), "{error}");
            assert!(error.contains(expected), "{url:?}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        for (url, local) in [
            ("https://bot.example.org/telegram", false),
            ("https://bot.example.org:8443/a/b", false),
            ("http://10.0.0.2:8088/telegram", true),
        ] {
            assert!(hook(Some(url), local).unwrap().is_some(), "{url}");
        }
        assert!(
            Hook::of(&TelegramSettings::default(), &Secret::new("1:a"))
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn the_secret_is_one_that_telegram_takes_and_follows_from_the_token() {
        let of = |token: &str| {
            let settings = TelegramSettings {
                receive: Receiving::Webhook,
                webhook_url: Some("https://bot.example.org/telegram".into()),
                ..TelegramSettings::default()
            };
            Hook::of(&settings, &Secret::new(token)).unwrap().unwrap().secret()
        };
        let secret = of("1:a");
        assert!((1..=256).contains(&secret.len()) && secret.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(secret, of("1:a"));
        assert_ne!(secret, of("1:b"));
        assert!(is_signed("1:a", &[SIGNED], &secret));
    }
}
