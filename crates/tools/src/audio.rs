//! `audio`: writes down what is said in a voice message or a recording, where a model has the role `transcription`; and
//! how answers are spoken by the role `speech`.
//!
//! A run calls it by itself for the voice messages that came with what it is asked (`engine/run/session/media.rs`): the
//! words are then the message's text.

mod settings;

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use clifford_core::{
    models::Role,
    policy::{class::Class, sources},
};
use clifford_store::files::File;
use reqwest::multipart::{Form, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::settings::{AudioServer, Speech, Transcription, WithKey};
use super::{
    Command, Price, Purchase, Tool, ToolContext, ToolError, files,
    provider::{Ask, Body},
};

/// The tool's command that writes down what is said.
pub const TRANSCRIBE: &str = "audio.transcribe";
/// The most bytes of a recording that OpenAI takes.
const MOST: usize = 25 << 20;
/// Endings of names that OpenAI takes, and their media types; each is named by the first that has its type.
const KINDS: [(&str, &str); 10] = [
    ("ogg", "audio/ogg"),
    ("mp3", "audio/mpeg"),
    ("m4a", "audio/m4a"),
    ("m4a", "audio/x-m4a"),
    ("wav", "audio/x-wav"),
    ("wav", "audio/wav"),
    ("flac", "audio/x-flac"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("ogg", "audio/opus"),
];

/// Has a text spoken, as a recording in Ogg; [`recorded`] reads the answer.
///
/// # Errors
/// The server cannot be reached, or refuses.
pub async fn speak(by: &WithKey<Speech>, text: &str) -> Result<Value, ToolError> {
    let body = json!({ "model": by.model, "input": text, "voice": by.voice, "response_format": "opus" });
    let ask = Ask {
        section: "llm.roles.speech",
        base_url: by.server.base_url.as_str(),
        route: "audio/speech",
        key: by.key.as_ref(),
        body: Body::Json(&body),
        within: by.server.within(),
    };
    let recording = ask.bytes().await?;
    Ok(json!({ "audio": STANDARD.encode(recording) }))
}

/// The recording in an answer of [`speak`]; `None`: it is none.
pub fn recorded(answer: &Value) -> Option<Bytes> {
    let content = STANDARD.decode(answer["audio"].as_str()?).ok()?;
    let kind = infer::get(&content)?;
    ["audio/ogg", "audio/opus"]
        .contains(&kind.mime_type())
        .then(|| content.into())
}

#[derive(Deserialize, JsonSchema)]
struct TranscribeArgs {
    /// The recording.
    file_id: String,
}

/// The transcript.
#[derive(Serialize)]
struct Transcribed {
    text: String,
}

pub(super) fn tool() -> Tool {
    Tool::new("audio", "🎙", "recordings")
        .about("Writes down what is said in recordings. Voice messages are written down without it.")
        .command(
            Command::new("transcribe", "{file_id}: what is said in it", Class::Read, transcribe)
                .example(json!({ "file_id": "0192…" }))
                .needs(|options| {
                    let is_set = options.services().transcription.is_some();
                    (!is_set).then(|| "set [llm.roles.transcription]".to_owned())
                })
                .time_limit(Duration::from_secs(310))
                .exposes_errors(),
        )
}

async fn transcribe(cx: ToolContext, args: TranscribeArgs) -> Result<Transcribed, ToolError> {
    let by = cx.services.transcription.clone();
    let by = by.ok_or_else(|| ToolError::Unavailable("no model writes down what is said".to_owned()))?;
    let file = files::one(&cx, &args.file_id).await?;
    if !file.is_own_voice() {
        cx.came_from(sources::file(&file.name));
    }
    let seconds = file.seconds.and_then(|seconds| u32::try_from(seconds).ok());
    if let Some(fault) = too_long(&file.name, seconds, by.max_seconds()) {
        return Err(ToolError::TellModel(fault));
    }
    let content = cx.services.files.content(&cx.db, &file, cx.clock.now()).await?;
    let reading = files::reading(&cx, &file).await?;
    let recording = recording(&file, &content.bytes);
    reading.end(&cx).await?;
    let form = Form::new()
        .part("file", recording?)
        .text("model", by.model.clone())
        .text("response_format", "json");
    let ask = Ask {
        section: "llm.roles.transcription",
        base_url: by.server.base_url.as_str(),
        route: "audio/transcriptions",
        key: by.key.as_ref(),
        body: Body::Form(form),
        within: by.server.within(),
    };
    let purchase = Purchase {
        provider: Transcription::PROVIDER.to_owned(),
        model: by.model.clone(),
        role: Role::Transcription,
        price: Price::Minutes {
            minute: by.minute_price,
            seconds: seconds.unwrap_or(by.max_seconds()),
        },
    };
    let answer = cx.payer.buy(purchase, Box::pin(ask.send())).await?;
    let text = answer["text"].as_str().map(str::trim);
    match text {
        Some("") => Err(ToolError::TellModel(format!("nothing is said in {}", file.name))),
        Some(text) => Ok(Transcribed { text: text.to_owned() }),
        None => Err(ToolError::Unavailable(
            "the provider of [llm.roles.transcription] gave no text".to_owned(),
        )),
    }
}

/// Why a recording of so many seconds is not written down.
fn too_long(name: &str, seconds: Option<u32>, most: u32) -> Option<String> {
    let seconds = seconds.filter(|seconds| *seconds > most)?;
    Some(format!(
        "{name} lasts {} minutes, and at most {} are written down (max_audio_minutes)",
        seconds.div_ceil(60),
        most / 60
    ))
}

/// A recording as a piece of a form, under a name whose ending tells what it is.
fn recording(file: &File, content: &[u8]) -> Result<Part, ToolError> {
    let kind = infer::get(content).map(|kind| kind.mime_type()).unwrap_or_default();
    let Some((ending, _)) = KINDS.iter().find(|(_, known)| *known == kind) else {
        return Err(ToolError::TellModel(format!(
            "{} is no recording that can be written down: that takes Ogg, MP3, M4A, WAV, FLAC, MP4 and WebM",
            file.name
        )));
    };
    if content.len() > MOST {
        return Err(ToolError::TellModel(format!(
            "{} is too large to be written down: at most {MOST} bytes",
            file.name
        )));
    }
    Ok(Part::bytes(content.to_vec()).file_name(format!("recording.{ending}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_may_be_as_long_as_it_is_set() {
        assert_eq!(too_long("a.ogg", Some(600), 600), None);
        assert_eq!(too_long("a.ogg", None, 600), None);
        assert_eq!(
            too_long("a.ogg", Some(601), 600).as_deref(),
            Some("a.ogg lasts 11 minutes, and at most 10 are written down (max_audio_minutes)")
        );
    }
}
