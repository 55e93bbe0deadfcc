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
    let recording = recording?;
    // How long it plays is its sender's word, by which it is paid for.
    let least = least_seconds(&content.bytes);
    if let Some(fault) = too_long(&file.name, Some(least), by.max_seconds()) {
        return Err(ToolError::TellModel(fault));
    }
    let form = Form::new()
        .part("file", recording)
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
            seconds: seconds.map_or(by.max_seconds(), |seconds| seconds.max(least)),
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

/// How many seconds a recording plays at least, by its bytes; of Opus in Ogg also by the time of its last page.
fn least_seconds(content: &[u8]) -> u32 {
    // The most bytes of a second: Opus and MP3 know no denser ones; of others, 48 kHz in 16 bits on two channels.
    let densest = match infer::get(content).map(|kind| kind.mime_type()) {
        Some("audio/ogg" | "audio/opus") if opus_begins(content) => 64_000,
        Some("audio/mpeg") => 40_000,
        _ => 192_000,
    };
    let by_bytes = u32::try_from(content.len() / densest).unwrap_or(u32::MAX);
    by_bytes.max(opus_seconds(content).unwrap_or_default())
}

/// Whether the first page of an Ogg begins a stream of Opus: <https://www.rfc-editor.org/rfc/rfc7845#section-5.1>
fn opus_begins(content: &[u8]) -> bool {
    let first = content.get(..content.len().min(64)).unwrap_or_default();
    first.starts_with(b"OggS") && first.windows(8).any(|found| found == b"OpusHead")
}

/// The time of the last page of Opus in Ogg, which counts samples of 48 kHz.
fn opus_seconds(content: &[u8]) -> Option<u32> {
    let last = content.windows(4).rposition(|found| found == b"OggS")?;
    let granule = content.get(last + 6..last + 14)?.try_into().ok()?;
    // A page on which no packet ends has -1.
    let samples = u64::try_from(i64::from_le_bytes(granule)).ok()?;
    let seconds = u32::try_from(samples / 48_000).unwrap_or(u32::MAX);
    opus_begins(content).then_some(seconds)
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

    /// An Ogg of Opus whose last page ends after so many seconds.
    fn opus(seconds: i64, bytes: usize) -> Vec<u8> {
        let page = |granule: i64, body: &[u8]| {
            let header = [b"OggS\0\x02", &granule.to_le_bytes()[..], &[0; 13]].concat();
            [&header, body].concat()
        };
        [page(0, b"OpusHead"), vec![1; bytes], page(seconds * 48_000, b"x")].concat()
    }

    #[test]
    fn a_recording_plays_at_least_as_long_as_its_bytes_and_its_last_page_say() {
        for (content, expected) in [
            (opus(0, 10), 0),
            (opus(90, 10), 90),
            (opus(1, 640_000), 10),
            (opus(-1, 640_000), 10),
            (opus(i64::MAX / 48_000, 10), u32::MAX),
            ([b"OggS".to_vec(), vec![0; 1_920_000]].concat(), 10),
            ([b"ID3".to_vec(), vec![0; 400_000]].concat(), 10),
            (b"OggS".to_vec(), 0),
            (Vec::new(), 0),
        ] {
            assert_eq!(least_seconds(&content), expected, "{} bytes", content.len());
        }
    }

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
