//! `setWebhook`, and the requests in which updates are brought: those of a chat one after the other, each until it is
//! answered with 2xx (<https://core.telegram.org/bots/api#setwebhook>).

use std::{io, sync::Arc, time::Duration};

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use super::{
    TelegramFake,
    answer::Refusal,
    params::Params,
    state::{Shared, State},
};

/// The wait before an update is brought again.
const AGAIN: Duration = Duration::from_millis(50);
/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// The ports that Telegram's own server calls.
const PORTS: [&str; 4] = ["443", "80", "88", "8443"];

/// A webhook that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Webhook {
    /// Where updates are brought.
    pub url: String,
    /// The value of `X-Telegram-Bot-Api-Secret-Token`.
    pub secret: Option<String>,
    /// The most requests at a time.
    pub connections: i64,
    /// Whether the updates that waited were dropped when it was set.
    pub dropped: bool,
    /// When a request failed last, in seconds, and why.
    pub(super) failed: Option<(i64, String)>,
}

impl TelegramFake {
    /// Sets a webhook, as another program with the same token would: polls get 409 until it is deleted.
    pub fn set_webhook(&self, url: &str) {
        self.shared.lock().webhook = Some(Webhook {
            url: url.to_owned(),
            ..Webhook::default()
        });
    }

    /// The webhook that is set.
    pub fn webhook(&self) -> Option<Webhook> {
        self.shared.lock().webhook.clone()
    }

    /// The next updates are brought so many times more, as after answers that were lost.
    pub fn repeat_deliveries(&self, times: u32) {
        self.shared.lock().repeats = times;
    }
}

/// `setWebhook`.
pub(super) fn set(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let url = params.text("url").unwrap_or_default();
    if url.is_empty() {
        state.webhook = None;
        return Ok(json!(true));
    }
    let local = state.local_dir.is_some();
    let bad = |why: &str| Refusal::bad(&format!("bad webhook: {why}"));
    // "HTTPS URL to send updates to"; a local server takes HTTP and any port
    // (https://core.telegram.org/bots/api#using-a-local-bot-api-server).
    let authority = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(rest), _) => rest,
        (None, Some(rest)) if local => rest,
        _ => return Err(bad("An HTTPS URL must be provided for webhook")),
    };
    let authority = authority.split('/').next().unwrap_or_default();
    if let Some((_, port)) = authority.rsplit_once(':')
        && !local
        && !PORTS.contains(&port)
    {
        return Err(bad("Webhook can be set up only on ports 80, 88, 443 or 8443"));
    }
    // "1-256 characters. Only characters A-Z, a-z, 0-9, _ and - are allowed".
    let secret = params.text("secret_token");
    if let Some(secret) = secret {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !(1..=256).contains(&secret.len()) || !secret.bytes().all(is_allowed) {
            return Err(Refusal::violation("secret token contains unallowed characters"));
        }
    } else {
        return Err(Refusal::violation(
            "a webhook without a secret token takes requests of anybody",
        ));
    }
    // "1-100. Defaults to 40".
    let connections = params.integer("max_connections").unwrap_or(40);
    if !(1..=100).contains(&connections) {
        return Err(Refusal::violation("max_connections must be 1 to 100"));
    }
    if let Some(allowed) = params.values.get("allowed_updates").and_then(Value::as_array) {
        state.allowed = allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    let dropped = params.values.get("drop_pending_updates") == Some(&json!(true));
    if dropped {
        state.updates.clear();
    }
    state.webhook = Some(Webhook {
        url: url.to_owned(),
        secret: secret.map(str::to_owned),
        connections,
        dropped,
        failed: None,
    });
    drop(state);
    shared.changed.send_replace(());
    Ok(json!(true))
}

/// `deleteWebhook`.
pub(super) fn delete(shared: &Shared, params: &Params) -> Value {
    let mut state = shared.lock();
    if params.values.get("drop_pending_updates") == Some(&json!(true)) {
        state.updates.clear();
    }
    state.webhook = None;
    drop(state);
    shared.changed.send_replace(());
    json!(true)
}

/// `getWebhookInfo`.
pub(super) fn info(shared: &Shared) -> Value {
    let state = shared.lock();
    let mut info = json!({
        "url": "",
        "has_custom_certificate": false,
        "pending_update_count": state.updates.len(),
    });
    if let Some(webhook) = &state.webhook {
        info["url"] = json!(webhook.url);
        info["max_connections"] = json!(webhook.connections);
        info["allowed_updates"] = json!(state.allowed);
        if let Some((at, why)) = &webhook.failed {
            info["last_error_date"] = json!(at);
            info["last_error_message"] = json!(why);
        }
    }
    info
}

/// Brings updates, until `stop`.
pub(super) async fn bring(shared: Arc<Shared>, stop: CancellationToken) {
    let mut changed = shared.changed.subscribe();
    stop.run_until_cancelled(async {
        loop {
            // Updates that come meanwhile are seen at the next turn.
            changed.borrow_and_update();
            let (webhook, chats) = waiting(&shared.lock());
            if let Some(webhook) = webhook
                && !chats.is_empty()
            {
                let brought = join_all(
                    chats
                        .into_iter()
                        .map(|updates| bring_in_order(&shared, &webhook, updates)),
                )
                .await;
                if brought.contains(&false) {
                    sleep(AGAIN).await;
                }
                continue;
            }
            // The sender lives in what is shared.
            drop(changed.changed().await);
        }
    })
    .await;
}

/// The updates that wait, chat by chat, if they can be brought.
fn waiting(state: &State) -> (Option<Webhook>, Vec<Vec<(i64, Value)>>) {
    let webhook = state
        .webhook
        .clone()
        .filter(|webhook| webhook.url.starts_with("http://"));
    let mut chats: Vec<(i64, Vec<(i64, Value)>)> = Vec::new();
    for (id, update) in &state.updates {
        let chat = chat_of(update);
        match chats.iter_mut().find(|(known, _)| *known == chat) {
            Some((_, updates)) => updates.push((*id, update.clone())),
            None => chats.push((chat, vec![(*id, update.clone())])),
        }
    }
    (webhook, chats.into_iter().map(|(_, updates)| updates).collect())
}

fn chat_of(update: &Value) -> i64 {
    let fields = update.as_object().into_iter().flatten();
    let mut chats = fields.filter_map(|(_, payload)| {
        let chat = payload["chat"]["id"].as_i64();
        chat.or_else(|| payload["message"]["chat"]["id"].as_i64())
    });
    chats.next().unwrap_or_default()
}

/// Brings the updates of one chat, and tells whether all of them were taken.
async fn bring_in_order(shared: &Shared, webhook: &Webhook, updates: Vec<(i64, Value)>) -> bool {
    for (id, update) in updates {
        // Before it is brought: the bot may answer the query before it answers the request.
        if let Some(query) = update["callback_query"]["id"].as_str()
            && let Some(query) = shared.lock().queries.get_mut(query)
        {
            query.deliveries += 1;
        }
        let answer = tokio::time::timeout(PATIENCE, post(webhook, &update)).await;
        let failure = match answer {
            Ok(Ok(200..=299)) => None,
            Ok(Ok(status)) => Some(format!("Wrong response from the webhook: {status}")),
            Ok(Err(error)) => Some(format!("Connection failed: {error}")),
            Err(_) => Some("Read timeout expired".to_owned()),
        };
        let mut state = shared.lock();
        if let Some(failure) = failure {
            if let Some(webhook) = &mut state.webhook {
                let at = webhook.failed.as_ref().map_or(1_000, |(at, _)| at + 1);
                webhook.failed = Some((at, failure));
            }
            return false;
        }
        if state.repeats > 0 {
            state.repeats -= 1;
            return false;
        }
        state.updates.retain(|(known, _)| *known != id);
        drop(state);
        shared.changed.send_replace(());
    }
    true
}

/// Posts an update, and returns the status of the answer.
async fn post(webhook: &Webhook, update: &Value) -> io::Result<u16> {
    let rest = webhook.url.strip_prefix("http://").unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host).await?;
    let body = update.to_string();
    let secret = webhook.secret.as_ref();
    let secret = secret.map_or_else(String::new, |secret| {
        format!("X-Telegram-Bot-Api-Secret-Token: {secret}\r\n")
    });
    let head = format!(
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n{secret}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let head = String::from_utf8_lossy(&answer);
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.ok_or_else(|| io::Error::other("no HTTP"))
}
