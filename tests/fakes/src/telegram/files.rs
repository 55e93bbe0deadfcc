//! Files that people send: `getFile`, and where their contents are had.

use std::sync::Arc;

use axum::{
    extract::{Path, State as Extract},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    Chat, TelegramFake,
    answer::Refusal,
    params::Params,
    state::{Kept, Shared},
};

/// The largest file that Telegram gives to bots.
const MOST: usize = 20 << 20;

impl TelegramFake {
    /// Somebody sends a document; returns the message's id.
    pub fn user_sends_file(&self, chat: Chat, user: i64, caption: &str, name: &str, content: &[u8]) -> i64 {
        self.document(chat, user, caption, name, content, content.len())
    }

    /// Somebody sends a document that is larger than bots can have.
    pub fn user_sends_large_file(&self, chat: Chat, user: i64, caption: &str, name: &str) -> i64 {
        self.document(chat, user, caption, name, b"", MOST + 1)
    }

    fn document(&self, chat: Chat, user: i64, caption: &str, name: &str, content: &[u8], size: usize) -> i64 {
        let id = {
            let mut state = self.shared.lock();
            let id = format!("BQAC-{}", state.files.len() + 1);
            let kept = Kept {
                path: format!("documents/file_{}.bin", state.files.len() + 1),
                content: content.to_vec(),
                size,
            };
            state.files.insert(id.clone(), kept);
            id
        };
        let document = json!({
            "file_id": id, "file_unique_id": format!("u{id}"), "file_name": name, "file_size": size,
            "mime_type": if name.ends_with(".png") { "image/png" } else { "text/plain" },
        });
        self.user_sends(chat, user, json!({"document": document, "caption": caption}))
    }

    /// Telegram has no file any more.
    pub fn forget_files(&self) {
        self.shared.lock().files.clear();
    }
}

/// `getFile`.
pub(super) fn get(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let state = shared.lock();
    let id = params.text("file_id").unwrap_or_default();
    let kept =
        (state.files.get(id)).ok_or_else(|| Refusal::bad("wrong file_id or the file is temporarily unavailable"))?;
    if kept.size > MOST {
        return Err(Refusal::bad("file is too big"));
    }
    Ok(json!({
        "file_id": id, "file_unique_id": format!("u{id}"), "file_size": kept.size, "file_path": kept.path,
    }))
}

/// The content behind a `file_path`.
pub(super) async fn content(
    Extract(shared): Extract<Arc<Shared>>,
    Path((bot, path)): Path<(String, String)>,
) -> Response {
    if bot.strip_prefix("bot") != Some(TelegramFake::TOKEN) {
        return Refusal::new(401, "Unauthorized").into_response();
    }
    let state = shared.lock();
    match state.files.values().find(|kept| kept.path == path) {
        Some(kept) => kept.content.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
