//! Files that people send: their addresses are good for a while, and can be renewed.

use axum::{
    Json,
    extract::{Path, Query, State as Extract},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{DiscordFake, Shared, error::Refusal};

/// What people sent, in the order of its coming, and since when addresses are good.
#[derive(Debug, Default)]
pub(super) struct Files {
    contents: Vec<Vec<u8>>,
    /// Grows when addresses expire.
    good: u64,
    gone: bool,
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
        let attachment = json!({
            "id": (place + 1).to_string(), "filename": name, "size": content.len(), "url": url, "proxy_url": url,
            "content_type": "text/plain; charset=utf-8",
        });
        self.user_sends(channel, user, text, &json!({"attachments": [attachment]}))
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
