//! Files that people send: their addresses are good for a while, and can be renewed.

use axum::{
    Json,
    extract::{Path, Query, State as Extract},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{DiscordFake, Shared, error::Refusal, messages::Draft};

/// People's files, in the order of their coming, and since when addresses are good.
#[derive(Debug, Default)]
pub(super) struct Files {
    contents: Vec<Vec<u8>>,
    /// Grows when addresses expire.
    good: u64,
    gone: bool,
}

/// The flag of a voice message.
const VOICE_MESSAGE: u64 = 1 << 13;

impl Draft {
    /// A voice message is one audio file alone, with its length and the shape of its sound.
    /// <https://docs.discord.com/developers/resources/message#voice-messages>
    pub(super) fn check_voice(&self) -> Result<(), Refusal> {
        if self.body["flags"].as_u64().unwrap_or_default() & VOICE_MESSAGE == 0 {
            return Ok(());
        }
        let has = |name: &str| self.body.get(name).is_some_and(|value| *value != json!([]));
        if has("content") || has("embeds") || has("components") || has("poll") || self.files.len() != 1 {
            let text = "Voice messages do not support additional content.";
            return Err(Refusal::new(400, 50_159, text));
        }
        let file = &self.body["attachments"][0];
        let waveform = file["waveform"].as_str().unwrap_or_default();
        // Of at most 256 bytes in base64.
        let fits = !waveform.is_empty() && waveform.len() <= 344 && waveform.len().is_multiple_of(4);
        if !fits || file["duration_secs"].as_f64().is_none_or(|seconds| seconds <= 0.0) {
            return Err(Refusal::new(
                400,
                50_161,
                "Voice messages must have supporting metadata.",
            ));
        }
        Ok(())
    }
}

impl DiscordFake {
    /// Somebody says something with a file; returns the message's id.
    pub fn user_sends_file(&self, channel: u64, user: u64, text: &str, name: &str, content: &[u8]) -> u64 {
        let (place, good) = {
            let mut state = self.shared.state();
            state.files.contents.push(content.to_vec());
            (state.files.contents.len() - 1, state.files.good)
        };
        let url = format!("{}/attachments/{channel}/{place}/{name}?ex={good}", self.api_url());
        // Discord goes by the name, as whoever sends it does.
        let content_type = match name.rsplit_once('.') {
            Some((_, "png")) => "image/png",
            Some((_, "jpg" | "jpeg")) => "image/jpeg",
            Some((_, "pdf")) => "application/pdf",
            _ => "text/plain; charset=utf-8",
        };
        let attachment = json!({
            "id": (place + 1).to_string(), "filename": name, "size": content.len(), "url": url, "proxy_url": url,
            "content_type": content_type,
        });
        self.user_sends(channel, user, text, &json!({"attachments": [attachment]}))
    }

    /// Somebody says something, for so many seconds: a message with the flag `IS_VOICE_MESSAGE` and a waveform, as
    /// <https://discord.com/developers/docs/resources/message#voice-messages> has it.
    pub fn user_says_aloud(&self, channel: u64, user: u64, words: &str, seconds: f64) -> u64 {
        let content = [b"OggS\0\x02\n", words.as_bytes()].concat();
        let size = content.len();
        let (place, good) = {
            let mut state = self.shared.state();
            state.files.contents.push(content);
            (state.files.contents.len() - 1, state.files.good)
        };
        let name = "voice-message.ogg";
        let url = format!("{}/attachments/{channel}/{place}/{name}?ex={good}", self.api_url());
        let attachment = json!({
            "id": (place + 1).to_string(), "filename": name, "size": size, "url": url, "proxy_url": url,
            "content_type": "audio/ogg", "duration_secs": seconds, "waveform": "AAAAAAAAAAAA",
        });
        self.user_sends(
            channel,
            user,
            "",
            &json!({"attachments": [attachment], "flags": 1 << 13}),
        )
    }

    /// The addresses that were given so far are good no more.
    pub fn expire_files(&self) {
        self.shared.state().files.good += 1;
    }

    /// Discord has no file any more.
    pub fn forget_files(&self) {
        self.shared.state().files.gone = true;
    }
}

#[derive(Deserialize)]
pub(super) struct Good {
    ex: u64,
}

/// The content at an address. Nobody says who they are there.
pub(super) async fn content(
    Extract(shared): Extract<Shared>,
    Path((_, place, _)): Path<(u64, usize, String)>,
    Query(Good { ex }): Query<Good>,
    headers: HeaderMap,
) -> Response {
    let mut state = shared.state();
    if headers.contains_key(header::AUTHORIZATION) {
        state.violation("the token was sent to where files are");
    }
    let files = &state.files;
    match files.contents.get(place) {
        Some(content) if ex == files.good && !files.gone => content.clone().into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `POST /attachments/refresh-urls`.
pub(super) async fn refresh(Extract(shared): Extract<Shared>, Json(body): Json<Value>) -> Response {
    let mut state = shared.state();
    let urls: Vec<&str> = body["attachment_urls"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if urls.is_empty() || body.as_object().is_none_or(|fields| fields.len() != 1) {
        let refusal = Refusal::field("attachment_urls", "BASE_TYPE_REQUIRED", "This field is required");
        return shared.refuse(&mut state, refusal);
    }
    let renewed = urls.into_iter().map(|url| {
        let (path, _) = url.split_once("?ex=").unwrap_or((url, ""));
        let refreshed = (!state.files.gone).then(|| format!("{path}?ex={}", state.files.good));
        json!({"original": url, "refreshed": refreshed})
    });
    Json(json!({"refreshed_urls": renewed.collect::<Vec<_>>()})).into_response()
}
