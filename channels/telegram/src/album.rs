//! Several files as one message: 2 to 10 photos, or as many documents.
//! <https://core.telegram.org/bots/api#sendmediagroup>

use clifford_channel::{Address, Part, Receipt, SendError};
use reqwest::multipart::Form;
use serde_json::{Value, json};
use teloxide::payloads::SendMediaGroup;

use crate::{
    api::{Api, ApiError, Sent},
    pace::Pace,
    place::Target,
    send::{Look, document, send_error},
};

/// The most files of an album.
const MOST: usize = 10;

/// The kind of an album that a file can be in.
fn kind(part: &Part) -> Option<&'static str> {
    let Part::Stored {
        name,
        media_type,
        payload,
        ..
    } = part
    else {
        return None;
    };
    match Look::of(name, media_type, payload) {
        Look::Photo => Some("photo"),
        // Music stands with music only.
        Look::File if media_type.starts_with("audio/") => None,
        Look::File => Some("document"),
        Look::Voice => None,
    }
}

/// How many of these files, from the first on, are one album.
pub(crate) fn together(files: &[Part]) -> usize {
    let Some(first) = files.first().and_then(kind) else {
        return 1;
    };
    let same = files.iter().take_while(|file| kind(file) == Some(first));
    same.count().min(MOST)
}

/// Sends them, as soon as the rates let it: each counts as a message.
pub(crate) async fn send(api: &Api, pace: &Pace, to: &Address, files: &[Part]) -> Result<Vec<Receipt>, SendError> {
    let target = Target::of(to)?;
    if target.alone.is_some() {
        return Err(SendError::Rejected(
            "Telegram shows no album to one person alone".to_owned(),
        ));
    }
    let form = form(&target, files).map_err(SendError::Rejected)?;
    for _ in files {
        pace.turn(target.chat.0, target.private).await;
    }
    let sent: Result<Vec<Sent>, ApiError> = api.upload::<SendMediaGroup, _>(form).await;
    let sent = sent.map_err(|error| send_error(error, to, &target, pace))?;
    let ids = sent.into_iter().map(|sent| sent.id.unwrap_or_default());
    // It was sent, with whatever is told of it.
    let ids = ids.chain(std::iter::repeat(String::new())).take(files.len());
    Ok(ids.map(|id| Receipt { id }).collect())
}

fn form(target: &Target, files: &[Part]) -> Result<Form, String> {
    let mut form = Form::new().text("chat_id", target.chat.to_string());
    if let Some(thread) = target.thread {
        form = form.text("message_thread_id", thread.to_string());
    }
    if let Some(reply) = target.reply_parameters() {
        let reply = serde_json::to_string(&reply).map_err(|error| error.to_string())?;
        form = form.text("reply_parameters", reply);
    }
    let mut media = Vec::<Value>::new();
    for (place, file) in files.iter().enumerate() {
        let (
            Some(kind),
            Part::Stored {
                name,
                media_type,
                payload,
                ..
            },
        ) = (kind(file), file)
        else {
            return Err("only files stand in an album".to_owned());
        };
        let field = format!("file{place}");
        media.push(json!({"type": kind, "media": format!("attach://{field}")}));
        form = form.part(field, document(name, media_type, payload)?);
    }
    Ok(form.text("media", Value::Array(media).to_string()))
}

#[cfg(test)]
mod tests {
    use clifford_channel::Payload;

    use super::*;

    fn file(name: &str, media_type: &str) -> Part {
        Part::Stored {
            id: String::new(),
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            payload: Payload::default(),
        }
    }

    #[test]
    fn files_of_one_kind_are_an_album() {
        let (photo, text) = (file("a.png", "image/png"), file("a.txt", "text/plain"));
        let (voice, music) = (file("voice.ogg", "audio/ogg"), file("song.mp3", "audio/mpeg"));
        let said = Part::Text {
            text: "x".to_owned(),
            plain: "x".to_owned(),
            rich: None,
            buttons: Vec::new(),
        };
        let cases = [
            (vec![], 1),
            (vec![photo.clone()], 1),
            (vec![photo.clone(), photo.clone(), text.clone()], 2),
            (vec![text.clone(), text.clone(), text.clone(), voice.clone()], 3),
            (vec![photo.clone(), text.clone()], 1),
            (vec![voice.clone(), voice], 1),
            (vec![music.clone(), music], 1),
            (vec![said, text.clone()], 1),
            (vec![text; 12], 10),
        ];
        for (files, expected) in cases {
            assert_eq!(together(&files), expected, "{files:?}");
        }
    }
}
