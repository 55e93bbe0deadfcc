//! The bytes of a message: one JSON body, or the events of a stream.

use bytes::Bytes;
use serde_json::{Value, json};

use super::translated;
use crate::models::{
    reply::Answer,
    request::RecordedRequest,
    text::{delta_texts, pieces, tokens, with_halves},
};

/// The body where no stream was asked for.
pub(crate) fn body(answer: &Answer, request: &RecordedRequest) -> Bytes {
    let mut content = Vec::new();
    if let Some(reasoning) = &answer.reasoning {
        content.push(json!({"type": "thinking", "thinking": reasoning, "signature": "fake"}));
    }
    if let Some(text) = &answer.content {
        content.push(json!({"type": "text", "text": text}));
    }
    for (index, (name, arguments)) in answer.calls.iter().enumerate() {
        let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
        content.push(json!({"type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": input}));
    }
    let mut body = message(request, &content);
    body["stop_reason"] = json!(stop_reason(answer));
    if answer.usage {
        body["usage"] = usage(answer, request, true);
    }
    Bytes::from(body.to_string())
}

/// The events of a stream.
pub(crate) fn events(answer: &Answer, request: &RecordedRequest) -> Vec<Bytes> {
    let mut start = message(request, &[]);
    if answer.usage {
        start["usage"] = usage(answer, request, false);
    }
    let mut events = vec![
        event(&json!({"type": "message_start", "message": start})),
        event(&json!({"type": "ping"})),
    ];
    let mut index = 0;
    let mut block = |first: Value, deltas: Vec<Value>| {
        events.push(event(
            &json!({"type": "content_block_start", "index": index, "content_block": first}),
        ));
        for delta in deltas {
            events.push(event(
                &json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
        }
        events.push(event(&json!({"type": "content_block_stop", "index": index})));
        index += 1;
    };
    if let Some(reasoning) = &answer.reasoning {
        let deltas = pieces(reasoning).into_iter();
        let deltas = deltas.map(|piece| json!({"type": "thinking_delta", "thinking": piece}));
        block(
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            deltas.collect(),
        );
    }
    if let Some(text) = &answer.content {
        let deltas = delta_texts(answer, text)
            .into_iter()
            .map(|piece| json!({"type": "text_delta", "text": piece}));
        block(json!({"type": "text", "text": ""}), deltas.collect());
    }
    for (place, (name, arguments)) in answer.calls.iter().enumerate() {
        let deltas = delta_texts(answer, arguments).into_iter();
        let deltas = deltas.map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
        block(
            json!({"type": "tool_use", "id": format!("toolu_{place}"), "name": name, "input": {}}),
            deltas.collect(),
        );
    }
    let mut end =
        json!({"type": "message_delta", "delta": {"stop_reason": stop_reason(answer), "stop_sequence": null}});
    if answer.usage {
        end["usage"] = json!({"output_tokens": said(answer)});
    }
    events.push(event(&end));
    events.push(event(&json!({"type": "message_stop"})));
    events
}

/// An error's body.
pub(crate) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_fake"})
}

fn message(request: &RecordedRequest, content: &[Value]) -> Value {
    json!({
        "id": "msg_fake", "type": "message", "role": "assistant", "model": request.model(), "content": content,
        "stop_reason": null, "stop_sequence": null,
    })
}

fn event(value: &Value) -> Bytes {
    let name = value["type"].as_str().unwrap_or_default();
    let data = with_halves(&value.to_string());
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

/// OpenAI's words for why a reply ends, in Anthropic's.
fn stop_reason(answer: &Answer) -> &'static str {
    match answer.finish {
        "content_filter" => "refusal",
        "length" => "max_tokens",
        "tool_calls" => "tool_use",
        _ if answer.refusal.is_some() => "refusal",
        _ => "end_turn",
    }
}

/// Tokens by rule of thumb. Cached tokens are counted apart, and so is a tenth of the rest, as if that had been
/// written to the cache.
fn usage(answer: &Answer, request: &RecordedRequest, whole: bool) -> Value {
    let request = translated(request);
    let asked = (0..request.messages().len())
        .map(|index| request.text(index).chars().count())
        .sum();
    let asked = (tokens(asked) + answer.billed).saturating_sub(answer.cached);
    let written = asked / 10;
    json!({
        "input_tokens": asked - written, "cache_creation_input_tokens": written,
        "cache_read_input_tokens": answer.cached, "output_tokens": if whole { said(answer) } else { 1 },
    })
}

fn said(answer: &Answer) -> u64 {
    let text = answer.content.as_deref().unwrap_or_default().chars().count();
    let calls = answer.calls.iter();
    tokens(
        text + calls
            .map(|(name, arguments)| name.chars().count() + arguments.chars().count())
            .sum::<usize>(),
    )
}
