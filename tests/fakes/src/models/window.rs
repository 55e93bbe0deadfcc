//! A model's context window: counted as servers do, refused in their words, and told in their lists.

use serde_json::{Value, json};

use super::{
    fault::Fault,
    request::{Protocol, RecordedRequest},
    text::tokens,
};

/// How much a model holds, and whether its refusals say so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) tokens: u64,
    pub(crate) told: bool,
}

/// A server that tells the window of its models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// llama.cpp: `GET /props`, `n_ctx`.
    LlamaCpp(u64),
    /// Ollama: `POST /api/show`, the model's architecture and the parameter `num_ctx`.
    Ollama(u64),
    /// vLLM: `GET /v1/models`, `max_model_len`.
    Vllm(u64),
    /// `OpenRouter`: `GET /v1/models`, `context_length`.
    OpenRouter(u64),
}

/// About how many tokens a request has, counted as the fake counts: its messages, and the form that its reply is held to.
#[must_use]
pub fn counted(request: &RecordedRequest) -> u64 {
    tokens(said(&request.body["messages"]) + said(&request.body["system"])) + schema_tokens(&request.body)
}

/// Tokens of what holds the reply to a form.
pub(crate) fn schema_tokens(body: &Value) -> u64 {
    let forms = [&body["response_format"], &body["tools"], &body["output_config"]];
    let texts = forms.into_iter().filter(|form| !form.is_null());
    texts.map(|form| tokens(form.to_string().chars().count())).sum()
}

fn said(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.iter().map(said).sum(),
        Value::Object(fields) => ["content", "text"]
            .into_iter()
            .filter_map(|name| fields.get(name))
            .map(said)
            .sum(),
        _ => 0,
    }
}

/// Refuses what the window does not hold.
pub(crate) fn fits(request: &RecordedRequest, window: Window, protocol: Protocol) -> Result<(), Fault> {
    let prompt = counted(request);
    let limits = [&request.body["max_tokens"], &request.body["max_completion_tokens"]];
    let reply = limits.into_iter().find_map(Value::as_u64).unwrap_or(0);
    let Window { tokens, told } = window;
    // A reply needs room, be it for one token.
    if prompt + reply.max(1) <= tokens {
        return Ok(());
    }
    let message = match (told, protocol) {
        (false, _) => "Please reduce the length of the messages or completion.".to_owned(),
        (true, Protocol::OpenAi) => format!(
            "This model's maximum context length is {tokens} tokens. However, you requested {} tokens ({prompt} in the \
             messages, {reply} in the completion). Please reduce the length of the messages or completion.",
            prompt + reply
        ),
        (true, Protocol::Anthropic) if prompt >= tokens => {
            format!("prompt is too long: {prompt} tokens > {tokens} maximum")
        }
        (true, Protocol::Anthropic) => format!(
            "input length and `max_tokens` exceed context limit: {prompt} + {reply} > {tokens}, decrease input length or \
             `max_tokens` and try again"
        ),
    };
    Err(Fault::new(400, message).coded("context_length_exceeded"))
}

/// The answer of a server of this kind to a look at its lists; `None`: it knows no such route.
pub(crate) fn listed(listing: Option<Listing>, path: &str, models: &[String]) -> Option<Value> {
    let entry = |id: &String| {
        let mut entry = json!({"id": id, "object": "model", "created": 0, "owned_by": "fake"});
        match listing {
            Some(Listing::Vllm(tokens)) => entry["max_model_len"] = tokens.into(),
            Some(Listing::OpenRouter(tokens)) => entry["context_length"] = tokens.into(),
            _ => {}
        }
        entry
    };
    match (path, listing) {
        ("/v1/models", _) => {
            let data: Vec<Value> = models.iter().map(entry).collect();
            Some(json!({"object": "list", "data": data}))
        }
        ("/props", Some(Listing::LlamaCpp(tokens))) => Some(json!({
            "default_generation_settings": {"n_ctx": tokens, "params": {"temperature": 0.8}}, "total_slots": 1,
        })),
        ("/api/show", Some(Listing::Ollama(tokens))) => Some(json!({
            "parameters": format!("stop \"<|eot_id|>\"\nnum_ctx {tokens}"),
            "model_info": {"general.architecture": "llama", "llama.context_length": 131_072},
        })),
        _ => None,
    }
}
