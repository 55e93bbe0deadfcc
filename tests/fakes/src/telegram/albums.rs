//! `sendMediaGroup`: 2 to 10 files as one message, all photos or all documents.
//! <https://core.telegram.org/bots/api#sendmediagroup>

use serde_json::Value;

use super::{
    Method,
    answer::Refusal,
    params::Params,
    send::{Rendered, check_photo, deliver, limit, new_sent, open_chat, reply_target},
    state::Shared,
};

/// The kinds of files that an album may mix.
const KINDS: [&[&str]; 3] = [&["photo", "video"], &["document"], &["audio"]];

pub(super) fn send(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let mut state = shared.lock();
    let to = open_chat(&state, params)?;
    let media = params.values.get("media").and_then(Value::as_array);
    let media = media.ok_or_else(|| Refusal::violation("there is no media in the request"))?;
    if !(2..=10).contains(&media.len()) {
        return Err(Refusal::violation("wrong number of media in the album"));
    }
    let kinds: Vec<_> = media.iter().filter_map(|item| item["type"].as_str()).collect();
    let is_album = |allowed: &&[&str]| kinds.len() == media.len() && kinds.iter().all(|kind| allowed.contains(kind));
    if !KINDS.iter().any(is_album) {
        return Err(Refusal::violation(format!("these cannot be in one album: {kinds:?}")));
    }
    let mut files = Vec::new();
    for (item, kind) in media.iter().zip(kinds) {
        let name = item["media"].as_str().and_then(|media| media.strip_prefix("attach://"));
        let file = params.files.iter().find(|(field, _)| Some(field.as_str()) == name);
        let (_, file) = file.ok_or_else(|| Refusal::violation("an attached file is not in the request"))?;
        if file.content.is_empty() {
            return Err(Refusal::violation("file must be non-empty"));
        }
        if kind == "photo" {
            check_photo(&file.content)?;
        }
        files.push(file.clone());
    }
    if params.files.len() != files.len() {
        return Err(Refusal::violation("the request holds a file that is not in the album"));
    }
    let reply_to = reply_target(&state, to, params)?;
    for _ in &files {
        limit(&mut state, to)?;
    }
    state.next_album += 1;
    let album = format!("14{:015}", state.next_album);
    let mut messages = Vec::new();
    for file in files {
        let rendered = Rendered::default();
        let mut sent = new_sent(&mut state, Method::SendMediaGroup, to, params, rendered, reply_to);
        sent.document = Some(file);
        sent.album = Some(album.clone());
        messages.push(deliver(shared, &mut state, sent));
    }
    Ok(Value::Array(messages))
}
