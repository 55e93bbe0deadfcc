//! The bytes of a completion: one JSON body, or the chunks of a stream.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::models::{
    reply::Answer,
    request::RecordedRequest,
    text::{delta_texts, tokens, with_halves},
};

/// The body where no stream was asked for.
pub(crate) fn body(answer: &Answer, request: &RecordedRequest) -> Bytes {
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
pub(crate) fn events(answer: &Answer, request: &RecordedRequest) -> Vec<Bytes> {
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
pub(crate) fn event(value: &Value) -> Bytes {
    Bytes::from(format!("data: {}\n\n", with_halves(&value.to_string())))
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
