//! Files that people send: `getFile`, and where their contents are had.

use std::{path::Path, sync::Arc};

use axum::{
    extract::{self, State as Extract},
    http::{StatusCode, Uri},
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

    /// Somebody sends a document of which Telegram says that it has so many bytes.
    pub fn user_sends_file_of(&self, chat: Chat, user: i64, caption: &str, name: &str, size: usize) -> i64 {
        self.document(chat, user, caption, name, b"the beginning", size)
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

    /// Somebody says something, for so many seconds. `said`: it is answered or forwarded beside that.
    pub fn user_says_aloud(&self, chat: Chat, user: i64, words: &str, seconds: u32, said: Value) -> i64 {
        let content = [b"OggS\0\x02\n", words.as_bytes()].concat();
        let id = {
            let mut state = self.shared.lock();
            let id = format!("AwAC-{}", state.files.len() + 1);
            let kept = Kept {
                path: format!("voice/file_{}.oga", state.files.len() + 1),
                size: content.len(),
                content,
            };
            state.files.insert(id.clone(), kept);
            id
        };
        let voice = json!({
            "file_id": id, "file_unique_id": format!("u{id}"), "duration": seconds, "mime_type": "audio/ogg",
            "file_size": words.len() + 7,
        });
        let mut message = json!({"voice": voice});
        if let (Some(fields), Some(said)) = (message.as_object_mut(), said.as_object()) {
            fields.extend(said.clone());
        }
        self.user_sends(chat, user, message)
    }

    /// From now on it is a server in local mode, which keeps its files below this directory.
    pub fn run_locally(&self, dir: &Path) {
        self.shared.lock().local_dir = Some(dir.to_owned());
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
    // "Download files without a size limit", and "the absolute local path as a value of the file_path field"
    // (https://core.telegram.org/bots/api#using-a-local-bot-api-server).
    let path = match &state.local_dir {
        None if kept.size > MOST => return Err(Refusal::bad("file is too big")),
        None => kept.path.clone(),
        Some(dir) => {
            let path = dir.join(TelegramFake::TOKEN).join(&kept.path);
            let written = path.parent().map(std::fs::create_dir_all).transpose();
            if written.and_then(|_| std::fs::write(&path, &kept.content)).is_err() {
                return Err(Refusal::new(500, "Internal Server Error: the file was not written"));
            }
            path.display().to_string()
        }
    };
    Ok(json!({
        "file_id": id, "file_unique_id": format!("u{id}"), "file_size": kept.size, "file_path": path,
    }))
}

/// The content behind a `file_path`.
pub(super) async fn content(
    Extract(shared): Extract<Arc<Shared>>,
    extract::Path((bot, path)): extract::Path<(String, String)>,
    asked: Uri,
) -> Response {
    // "https://api.telegram.org/file/bot<token>/<file_path>" (https://core.telegram.org/bots/api#getfile): as it is.
    if asked.path().contains('%') {
        let violation = format!("the path of a file was escaped: {}", asked.path());
        shared.lock().violations.push(violation);
        return StatusCode::NOT_FOUND.into_response();
    }
    if bot.strip_prefix("bot") != Some(TelegramFake::TOKEN) {
        return Refusal::new(401, "Unauthorized").into_response();
    }
    let state = shared.lock();
    // A server in local mode has no files for HTTP.
    if state.local_dir.is_some() {
        return StatusCode::NOT_FOUND.into_response();
    }
    match state.files.values().find(|kept| kept.path == path) {
        Some(kept) => kept.content.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
