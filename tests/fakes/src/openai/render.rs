//! The bytes of a completion: one JSON body, or the chunks of a stream.

use std::fmt::Write as _;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{CHUNK, RecordedRequest, reply::Answer};

/// The body where no stream was asked for.
pub(super) fn body(answer: &Answer, request: &RecordedRequest) -> Bytes {
    let mut message = json!({"role": "assistant", "content": answer.content, "refusal": answer.refusal});
    if let Some(reasoning) = &answer.reasoning {
        message["reasoning_content"] = json!(reasoning);
    }
    if !answer.calls.is_empty() {
        message["tool_calls"] = answer
            .calls
            .iter()
            .enumerate()
            .map(|(index, call)| tool_call(index, call))
            .collect();
    }
    let mut body = json!({
        "id": "chatcmpl-fake", "object": "chat.completion", "created": 0, "model": request.model(),
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": answer.finish}],
    });
    if answer.usage {
        body["usage"] = usage(answer, request);
    }
    Bytes::from(body.to_string())
}

/// The events of a stream, `[DONE]` included.
pub(super) fn events(answer: &Answer, request: &RecordedRequest) -> Vec<Bytes> {
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    for (field, text) in [
        ("reasoning_content", &answer.reasoning),
        ("content", &answer.content),
        ("refusal", &answer.refusal),
    ] {
        let texts = delta_texts(answer, text.as_deref().unwrap_or_default());
        deltas.extend(texts.into_iter().map(|piece| json!({field: piece})));
    }
    for (index, call) in answer.calls.iter().enumerate() {
        let mut first = tool_call(index, call);
        first["index"] = json!(index);
        first["function"]["arguments"] = json!("");
        deltas.push(json!({"tool_calls": [first]}));
        let texts = delta_texts(answer, &call.1).into_iter();
        deltas.extend(texts.map(|piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})));
    }
    let wants_usage = request.body["stream_options"]["include_usage"] == true;
    let model = request.model();
    let mut events: Vec<Bytes> = deltas
        .into_iter()
        .map(|delta| chunk(model, &json!([choice(delta, None)]), &Value::Null))
        .collect();
    events.push(chunk(
        model,
        &json!([choice(json!({}), Some(answer.finish))]),
        &Value::Null,
    ));
    if answer.usage && wants_usage {
        events.push(chunk(model, &json!([]), &usage(answer, request)));
    }
    events.push(Bytes::from_static(b"data: [DONE]\n\n"));
    events
}

/// Any JSON as an event.
pub(super) fn event(value: &Value) -> Bytes {
    Bytes::from(format!("data: {}\n\n", with_halves(&value.to_string())))
}

/// UTF-16 units in one chunk where they are cut without regard to characters.
const UNITS: usize = 3;
/// Where halves of characters stand until the JSON is written: private characters that no test says.
const HALVES: u32 = 0x10_F000;

/// The text in pieces, cut as the answer wants it.
pub(crate) fn delta_texts(answer: &Answer, text: &str) -> Vec<String> {
    if !answer.splits_surrogates {
        return pieces_of(text, answer.piece).into_iter().map(str::to_owned).collect();
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let half = |unit: u16| char::from_u32(HALVES + u32::from(unit - 0xD800)).unwrap_or_default();
    let piece = |units: &[u16]| {
        let characters = char::decode_utf16(units.iter().copied());
        characters
            .map(|decoded| decoded.unwrap_or_else(|lone| half(lone.unpaired_surrogate())))
            .collect()
    };
    units.chunks(UNITS).map(piece).collect()
}

/// JSON in which halves of characters are written as such: `\ud83d`.
pub(crate) fn with_halves(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match u32::from(character).checked_sub(HALVES).filter(|place| *place < 0x800) {
            Some(place) => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", 0xD800 + place);
            }
            None => text.push(character),
        }
    }
    text
}

/// Tokens by rule of thumb, so that a test can know them beforehand: characters by four, rounded up.
pub(crate) fn tokens(characters: usize) -> u64 {
    characters.div_ceil(4) as u64
}

fn chunk(model: &str, choices: &Value, usage: &Value) -> Bytes {
    event(&json!({
        "id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 0, "model": model,
        "choices": choices, "usage": usage,
    }))
}

fn choice(delta: Value, finish: Option<&str>) -> Value {
    json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish})
}

fn tool_call(index: usize, (name, arguments): &(String, String)) -> Value {
    json!({"id": format!("call_{index}"), "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn usage(answer: &Answer, request: &RecordedRequest) -> Value {
    if let Some(reported) = &answer.reported {
        return reported.clone();
    }
    let asked = (0..request.messages().len())
        .map(|index| request.text(index).chars().count())
        .sum();
    let said = answer.content.as_deref().unwrap_or_default().chars().count()
        + answer
            .calls
            .iter()
            .map(|(name, arguments)| name.chars().count() + arguments.chars().count())
            .sum::<usize>();
    let (prompt, completion) = (tokens(asked) + answer.billed, tokens(said));
    json!({
        "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": answer.cached},
    })
}

/// Cuts text into pieces of [`CHUNK`] characters.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    pieces_of(text, CHUNK)
}

/// Cuts text into pieces of so many characters.
fn pieces_of(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(index, _)| index);
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}
