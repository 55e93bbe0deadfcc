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
    let form = || {
        Form::new()
            .part("file", recording.part())
            .text("model", by.model.clone())
            .text("response_format", "json")
    };
    let ask = Ask {
        section: "llm.roles.transcription",
        base_url: by.server.base_url.as_str(),
        route: "audio/transcriptions",
        key: by.key.as_ref(),
        body: Body::Form(&form),
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

/// How many seconds a recording plays at least, by its bytes: Opus and MP3 know a most of a second, and WAV names its own;
/// of Opus also by the times of its pages. Of all others (a film, say) nothing is known.
fn least_seconds(content: &[u8]) -> u32 {
    let by_bytes = |bytes: usize, densest: usize| {
        let seconds = bytes.checked_div(densest).unwrap_or_default();
        u32::try_from(seconds).unwrap_or(u32::MAX)
    };
    match infer::get(content).map(|kind| kind.mime_type()) {
        Some("audio/ogg" | "audio/opus") if opus_begins(content) => {
            by_bytes(content.len(), 64_000).max(opus_seconds(content))
        }
        Some("audio/mpeg") => by_bytes(content.len().saturating_sub(tag_bytes(content)), 40_000),
        Some("audio/x-wav" | "audio/wav") => {
            let (bytes, densest) = wav_bytes(content).unwrap_or_default();
            by_bytes(bytes, densest)
        }
        _ => 0,
    }
}

/// The bytes of the tag in front of an MP3, which may hold a picture: <https://id3.org/id3v2.4.0-structure>
fn tag_bytes(content: &[u8]) -> usize {
    match content.get(..10) {
        // Of each byte of the size, seven bits count.
        Some(&[b'I', b'D', b'3', _, _, flags, ref size @ ..]) => {
            let size = size
                .iter()
                .fold(0_usize, |sum, byte| (sum << 7) | usize::from(byte & 0x7f));
            let footer = if flags & 0x10 == 0 { 0 } else { 10 };
            10 + size + footer
        }
        _ => 0,
    }
}

/// The bytes of what a WAV plays, and those of a second.
fn wav_bytes(content: &[u8]) -> Option<(usize, usize)> {
    let number = |at: usize| {
        let bytes = content.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let (mut at, mut densest) = (12, None);
    loop {
        let (name, size, begin) = (content.get(at..at + 4)?, number(at + 4)?, at + 8);
        match name {
            b"fmt " => densest = number(begin + 8),
            b"data" => return Some((size.min(content.len() - begin), densest?)),
            _ => {}
        }
        // Each begins at an even place.
        at = begin.checked_add(size)?.checked_next_multiple_of(2)?;
    }
}

/// Whether the first page of an Ogg begins a stream of Opus: <https://www.rfc-editor.org/rfc/rfc7845#section-5.1>
fn opus_begins(content: &[u8]) -> bool {
    let first = content.get(..content.len().min(64)).unwrap_or_default();
    first.starts_with(b"OggS") && first.windows(8).any(|found| found == b"OpusHead")
}

/// The time between the first and the last page of sound of Opus in Ogg, which count samples of 48 kHz: what was cut out of
/// a broadcast does not begin at zero.
fn opus_seconds(content: &[u8]) -> u32 {
    let time = |at: usize| {
        let page = content.get(at..at + 14).filter(|page| page.starts_with(b"OggS"))?;
        let samples = i64::from_le_bytes(page.last_chunk().copied()?);
        // The pages of the head have 0, and one on which no packet ends has -1.
        u64::try_from(samples).ok().filter(|samples| *samples > 0)
    };
    let mut times = (0..content.len()).filter_map(time);
    let Some(first) = times.next() else {
        return 0;
    };
    let last = times.next_back().unwrap_or(first);
    u32::try_from(last.saturating_sub(first) / 48_000).unwrap_or(u32::MAX)
}

/// A recording that is sent, under a name whose ending tells what it is.
struct Recording {
    name: String,
    content: Bytes,
}

impl Recording {
    /// A piece of a form.
    fn part(&self) -> Part {
        let length = u64::try_from(self.content.len()).unwrap_or(u64::MAX);
        Part::stream_with_length(self.content.clone(), length).file_name(self.name.clone())
    }
}

/// The recording in a file.
fn recording(file: &File, content: &[u8]) -> Result<Recording, ToolError> {
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
    Ok(Recording {
        name: format!("recording.{ending}"),
        content: Bytes::copy_from_slice(content),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An Ogg of Opus whose first and last pages of sound end after so many seconds.
    fn opus(first: i64, last: i64, bytes: usize) -> Vec<u8> {
        let page = |granule: i64, body: &[u8]| {
            let header = [b"OggS\0\x02", &granule.to_le_bytes()[..], &[0; 13]].concat();
            [&header, body].concat()
        };
        let pages = [
            page(0, b"OpusHead"),
            page(first * 48_000, b"x"),
            vec![1; bytes],
            page(last * 48_000, b"x"),
            page(-1, b"x"),
        ];
        pages.concat()
    }

    /// An MP3 with a tag of so many thousand bytes.
    fn mp3(tag: u8, sound: usize) -> Vec<u8> {
        let tag = usize::from(tag) * 1_000;
        let size = [21, 14, 7, 0].map(|bits| u8::try_from((tag >> bits) & 0x7f).unwrap());
        [b"ID3\x04\0\0", &size[..], &vec![0xff; tag], &vec![0; sound]].concat()
    }

    /// A WAV that plays so many bytes a second.
    fn wav(densest: u32, sound: u32, real: usize) -> Vec<u8> {
        let chunk = |name: &[u8], size: u32, body: &[u8]| [name, &size.to_le_bytes(), body].concat();
        let format = [&[0; 8], &densest.to_le_bytes()[..], &[0; 4]].concat();
        [
            b"RIFF\0\0\0\0WAVE".to_vec(),
            chunk(b"note", 3, &[0; 4]),
            chunk(b"fmt ", 16, &format),
            chunk(b"data", sound, &vec![0; real]),
        ]
        .concat()
    }

    #[test]
    fn a_recording_plays_at_least_as_long_as_its_bytes_and_its_last_page_say() {
        for (content, expected) in [
            (opus(0, 0, 10), 0),
            (opus(1, 91, 10), 90),
            // It was cut out of a broadcast, begins anew, or is one page.
            (opus(5_000, 5_010, 10), 10),
            (opus(50, 10, 10), 0),
            (opus(0, 10, 10), 0),
            (opus(1, 1, 640_000), 10),
            (opus(-1, -1, 640_000), 10),
            (opus(1, i64::MAX / 48_000, 10), u32::MAX),
            (mp3(0, 400_000), 10),
            (mp3(200, 400_000), 10),
            (b"ID3\x04\0\0\x7f\x7f\x7f\x7f".to_vec(), 0),
            (wav(288_000, 2_880_000, 2_880_000), 10),
            (wav(8_000, u32::MAX, 80_000), 10),
            (wav(0, 80_000, 80_000), 0),
            (b"RIFF\0\0\0\0WAVE".to_vec(), 0),
            // Nobody knows how dense these are.
            ([b"OggS".to_vec(), vec![0; 1_920_000]].concat(), 0),
            ([b"\0\0\0\x18ftypmp42".to_vec(), vec![0; 1_920_000]].concat(), 0),
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
