//! Recordings to be written down, and texts to be spoken: checked as OpenAI checks them, answered by rule.
//!
//! Texts and statuses follow <https://platform.openai.com/docs/api-reference/audio/createTranscription>,
//! <https://platform.openai.com/docs/api-reference/audio/createSpeech> and what the service answers.

use axum::extract::{FromRequest, Multipart};
use bytes::Bytes;
use hyper::{Request, body::Incoming};
use serde_json::{Value, json};

use crate::models::fault::Fault;

/// The fields that the service knows.
const FIELDS: [&str; 9] = [
    "file",
    "model",
    "language",
    "prompt",
    "response_format",
    "temperature",
    "timestamp_granularities[]",
    "include[]",
    "stream",
];
/// The endings of names that it takes.
const ENDINGS: [&str; 10] = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"];
/// The most bytes of a file.
const MOST: usize = 26_214_400;
/// The beginning of an Ogg file: what follows the first line break is what is said in the fake's.
const OGG: &[u8] = b"OggS";

/// A recording as it came.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    model: String,
    format: String,
    name: String,
    content: Bytes,
}

impl Recording {
    /// Reads the form.
    pub(crate) async fn read(request: Request<Incoming>) -> Result<Self, Fault> {
        let (head, body) = request.into_parts();
        let request = Request::from_parts(head, axum::body::Body::new(body));
        let form = Multipart::from_request(request, &()).await;
        let mut form = form.map_err(|_| Fault::new(400, "Could not parse multipart form"))?;
        let mut recording = Self::default();
        let broken = |_| Fault::new(400, "Could not parse multipart form");
        while let Some(field) = form.next_field().await.map_err(broken)? {
            let name = field.name().unwrap_or_default().to_owned();
            if !FIELDS.contains(&name.as_str()) {
                return Err(Fault::new(
                    400,
                    format!("Unrecognized request argument supplied: {name}"),
                ));
            }
            if name == "file" {
                recording.name = field.file_name().unwrap_or_default().to_owned();
                recording.content = field.bytes().await.map_err(broken)?;
                continue;
            }
            let text = field.text().await.map_err(broken)?;
            match name.as_str() {
                "model" => recording.model = text,
                "response_format" => recording.format = text,
                _ => {}
            }
        }
        Ok(recording)
    }

    /// The record of it for tests.
    pub(crate) fn told(&self) -> Value {
        json!({"model": self.model, "response_format": self.format, "file": self.name, "bytes": self.content.len()})
    }

    /// The words that are spoken in it.
    pub(crate) fn answer(&self) -> Result<Value, Fault> {
        if self.model.is_empty() {
            return Err(Fault::new(400, "you must provide a model parameter"));
        }
        if self.content.len() > MOST {
            return Err(Fault::new(413, format!("Maximum content size limit ({MOST}) exceeded")));
        }
        let ending = self.name.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
        if !ENDINGS.contains(&ending) {
            return Err(Fault::bad(
                "file",
                format!("Invalid file format. Supported formats: {ENDINGS:?}"),
            ));
        }
        if self.model.starts_with("gpt-4o") && self.format != "json" {
            return Err(Fault::bad(
                "response_format",
                format!(
                    "response_format '{}' is not compatible with model '{}'.",
                    self.format, self.model
                ),
            ));
        }
        if !self.content.starts_with(OGG) {
            return Err(Fault::bad(
                "file",
                "The audio file could not be decoded or its format is not supported.",
            ));
        }
        let mut parts = self.content.splitn(2, |byte| *byte == b'\n');
        let said = parts.nth(1).map(String::from_utf8_lossy).unwrap_or_default();
        // A second for each word.
        let seconds = said.split_whitespace().count();
        Ok(json!({"text": said, "usage": {"type": "duration", "seconds": seconds}}))
    }
}

/// The fields of a text to be spoken.
const SPEECH: [&str; 7] = [
    "model",
    "input",
    "voice",
    "instructions",
    "response_format",
    "speed",
    "stream_format",
];
/// The most characters that are spoken at once.
const MOST_SPOKEN: usize = 4096;

/// Speaks a text: the recording says it word for word.
pub(crate) fn speech(body: &Value) -> Result<Bytes, Fault> {
    let body = body
        .as_object()
        .ok_or_else(|| Fault::new(400, "We could not parse the JSON body of your request."))?;
    if let Some(name) = body.keys().find(|name| !SPEECH.contains(&name.as_str())) {
        return Err(Fault::new(
            400,
            format!("Unrecognized request argument supplied: {name}"),
        ));
    }
    let text = |name: &'static str| {
        let text = body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.ok_or_else(|| Fault::bad(name, format!("Missing required parameter: '{name}'.")))
    };
    text("model")?;
    text("voice")?;
    let input = text("input")?;
    if input.chars().count() > MOST_SPOKEN {
        return Err(Fault::bad("input", "string_above_max_length"));
    }
    if body.get("response_format").and_then(Value::as_str) != Some("opus") {
        return Err(Fault::bad("response_format", "the fake speaks Opus only"));
    }
    Ok(spoken(input).into())
}

/// An Ogg file of one second, with an Opus stream: the words stand in its sound, behind its first line break.
/// <https://www.rfc-editor.org/rfc/rfc7845>
fn spoken(words: &str) -> Vec<u8> {
    let page = |samples: u64, packet: &[u8]| {
        let mut page = b"OggS\0\0".to_vec();
        page.extend(samples.to_le_bytes());
        page.extend([0; 12]);
        let (full, rest) = (packet.len() / 255, packet.len() % 255);
        page.extend([u8::try_from(full + 1).unwrap_or(u8::MAX)]);
        page.extend(std::iter::repeat_n(255, full));
        page.extend(u8::try_from(rest));
        page.extend(packet);
        page
    };
    let mut head = b"OpusHead\x01\x01".to_vec();
    head.extend(312_u16.to_le_bytes());
    head.extend([0; 7]);
    let mut sound = [b"\n", words.as_bytes()].concat();
    if sound.len() % 255 == usize::from(b'\n') || sound.len() / 255 + 1 == usize::from(b'\n') {
        // No line break may come before that of the words: not even as a length.
        sound.splice(0..0, [0; 255 + 1]);
    }
    [
        page(0, &head),
        page(0, b"OpusTags\0\0\0\0\0\0\0\0"),
        page(312 + 48_000, &sound),
    ]
    .concat()
}
