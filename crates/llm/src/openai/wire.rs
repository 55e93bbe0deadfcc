//! The wire format of chat completions, read leniently: servers leave out different fields.
//!
//! Source: <https://platform.openai.com/docs/api-reference/chat>. A whole reply is read as a stream of one
//! chunk: the two differ only in `message` and `delta`.

use std::collections::BTreeMap;

use clifford_llm_api::model::{Message, NativeToolCall, Request, Role, Schema, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{
    function::{Function, Parameters},
    remote::{Joiner, ProviderConfig, Terms, is_told, usage::count},
    settings::Structured,
};

/// The most bytes of thoughts that may still be a reply.
const LONGEST_THOUGHT: usize = 256 << 10;

/// The request.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Chosen<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: Role,
    content: Words<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Words<'a> {
    Text(&'a str),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tool<'a> {
    Function { function: Offered<'a> },
}

#[derive(Serialize)]
struct Offered<'a> {
    name: &'a str,
    description: &'static str,
    parameters: Parameters<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Chosen<'a> {
    Function { function: Named<'a> },
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: JsonSchema<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'a str,
    schema: &'a RawValue,
    strict: bool,
}

impl<'a> Body<'a> {
    /// Puts a request in the terms that the server understands.
    pub(super) fn new(config: &'a ProviderConfig, request: &'a Request, terms: Terms) -> Self {
        let limit = request.max_tokens.or(config.section.max_tokens);
        let streaming = config.section.stream && terms.stream;
        let function = (request.schema.as_ref())
            .filter(|_| terms.structured == Structured::Function)
            .map(Function::taking);
        Self {
            model: &config.section.model,
            messages: wire_messages(request, config.images.is_shown()),
            max_tokens: limit.filter(|_| !terms.completion_limit),
            max_completion_tokens: limit.filter(|_| terms.completion_limit),
            response_format: request
                .schema
                .as_ref()
                .and_then(|schema| response_format(schema, terms.structured)),
            tool_choice: function.as_ref().map(|function| Chosen::Function {
                function: Named { name: function.name },
            }),
            tools: function.map(|function| {
                [Tool::Function {
                    function: Offered {
                        name: function.name,
                        description: function.description,
                        parameters: function.parameters,
                    },
                }]
            }),
            temperature: terms.temperature.then_some(config.section.temperature),
            stream: streaming,
            stream_options: (streaming && terms.stream_options).then_some(StreamOptions { include_usage: true }),
        }
    }
}

/// The messages; images stand before the words that they go with.
fn wire_messages<'r>(request: &'r Request, sees_images: bool) -> Vec<WireMessage<'r>> {
    let turn = |(place, message): (usize, &'r Message)| {
        let text = message.content.as_str();
        let has_images = sees_images && place == request.images_with && !request.images.is_empty();
        let content = if has_images {
            let pieces = request.images.iter().map(|image| Piece::ImageUrl {
                image_url: ImageUrl {
                    url: format!("data:{};base64,{}", image.media_type, image.base64),
                },
            });
            Words::Pieces(pieces.chain([Piece::Text { text }]).collect())
        } else {
            Words::Text(text)
        };
        WireMessage {
            role: message.role,
            content,
        }
    };
    request.messages.iter().enumerate().map(turn).collect()
}

fn response_format(schema: &Schema, structured: Structured) -> Option<ResponseFormat<'_>> {
    match structured {
        Structured::JsonSchema => Some(ResponseFormat::JsonSchema {
            json_schema: JsonSchema {
                name: schema.name(),
                schema: schema.text(),
                strict: schema.is_strict(),
            },
        }),
        Structured::JsonObject => Some(ResponseFormat::JsonObject),
        Structured::None | Structured::Function => None,
    }
}

/// A whole reply, or a chunk of one.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<Value>,
    error: Option<Value>,
    /// How MiniMax says that it went.
    base_resp: Option<Value>,
    /// An error without a frame of its own, as proxies write it.
    detail: Option<Value>,
    /// The same.
    message: Option<Value>,
}

impl Chunk {
    /// The error in the place of a reply.
    pub(super) fn error(&self) -> Option<&Value> {
        let error = self.error.as_ref().filter(|error| is_told(error));
        error
            .or_else(|| (self.base_resp.as_ref()).filter(|told| is_told(&told["status_code"])))
            .or_else(|| {
                let unframed = [&self.detail, &self.message].into_iter().flatten();
                unframed
                    .into_iter()
                    .find(|told| self.choices.is_none() && is_told(told))
            })
    }
}

/// A [`Value`] here comes as another type from some servers.
#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(alias = "message")]
    delta: Option<Turn>,
    finish_reason: Option<Value>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Turn {
    content: Option<Value>,
    refusal: Option<Value>,
    tool_calls: Option<Value>,
    /// The reasoning, as some servers call it.
    reasoning_content: Option<Value>,
    /// The same, as others do.
    reasoning: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Call {
    index: Option<Value>,
    function: Option<Called>,
}

#[derive(Debug, Deserialize)]
struct Called {
    name: Option<String>,
    arguments: Option<Value>,
}

/// A reply as it comes together.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) text: String,
    pub(super) refusal: String,
    pub(super) usage: Option<Usage>,
    pub(super) finish: Option<String>,
    /// Whether there was any choice, be it an empty one.
    pub(super) answered: bool,
    /// The model's thoughts, as far as they may still be the reply.
    thought: String,
    text_halves: Joiner,
    refusal_halves: Joiner,
    thought_halves: Joiner,
    calls: BTreeMap<u64, PartialCall>,
}

/// A tool call as it comes together.
#[derive(Debug, Default)]
struct PartialCall {
    name: String,
    arguments: String,
    halves: Joiner,
}

impl Gathered {
    /// Takes a chunk, and returns whether the reply grew by it, or the error that stands in a choice's place. Text goes
    /// to `text` too. `has_halves`: the chunk has stand-ins for halves of characters.
    pub(super) fn add(&mut self, chunk: Chunk, has_halves: bool, mut text: impl FnMut(&str)) -> Result<bool, Value> {
        if let Some(later) = chunk.usage.as_ref().and_then(usage) {
            self.usage = Some(self.usage.map_or(later, |earlier| most(earlier, later)));
        }
        let Some(choice) = chunk.choices.into_iter().flatten().next() else {
            return Ok(false);
        };
        self.answered = true;
        if let Some(error) = choice.error.filter(is_told) {
            return Err(error);
        }
        // Some servers give an empty one with every chunk.
        let finish = choice.finish_reason.and_then(plain);
        let finish = finish.filter(|reason| !["", "null"].contains(&reason.trim()));
        self.finish = finish.or(self.finish.take());
        let Some(turn) = choice.delta else {
            return Ok(self.finish.is_some());
        };
        let piece = turn.content.map(text_of).unwrap_or_default();
        let refusal = match turn.refusal {
            Some(Value::String(refusal)) => refusal,
            _ => String::new(),
        };
        let calls = turn.tool_calls.map(calls).unwrap_or_default();
        let has_grown = !piece.is_empty()
            || !refusal.is_empty()
            || !calls.is_empty()
            || [&turn.reasoning_content, &turn.reasoning]
                .into_iter()
                .flatten()
                .any(|thought| *thought != "")
            || self.finish.is_some();
        let thought = turn
            .reasoning_content
            .or(turn.reasoning)
            .map(text_of)
            .unwrap_or_default();
        if self.text.is_empty() && self.thought.len() + thought.len() <= LONGEST_THOUGHT {
            self.thought.push_str(&self.thought_halves.join(thought, has_halves));
        }
        let piece = self.text_halves.join(piece, has_halves);
        if !piece.is_empty() {
            text(&piece);
            self.text.push_str(&piece);
        }
        self.refusal.push_str(&self.refusal_halves.join(refusal, has_halves));
        for call in calls {
            self.add_call(call, has_halves);
        }
        Ok(has_grown)
    }

    /// Takes what the model wrote as the whole reply: the server found it not to be of the form, and told it in an error.
    pub(super) fn take_written(&mut self, written: String, mut text: impl FnMut(&str)) {
        self.answered = true;
        self.finish = Some("stop".to_owned());
        if self.text.is_empty() {
            text(&written);
            self.text = written;
        }
    }

    /// How much of the reply there is.
    pub(super) fn size(&self) -> usize {
        let calls = self.calls.values().map(|call| call.name.len() + call.arguments.len());
        self.text.len() + calls.sum::<usize>()
    }

    /// Whether there is nothing of the reply, not even a thought.
    pub(super) fn is_empty(&self) -> bool {
        self.size() == 0 && self.refusal.is_empty() && self.thought.is_empty()
    }

    /// The reply is over: what is still a half of a character stays one.
    pub(super) fn end(&mut self) {
        self.text.push_str(self.text_halves.rest());
        self.refusal.push_str(self.refusal_halves.rest());
        self.thought.push_str(self.thought_halves.rest());
        if let Some(last) = final_part(&self.text) {
            self.text = last.to_owned();
        }
        // Some servers take the whole of a reply in JSON for reasoning. A draft among thoughts is none.
        let is_object = || serde_json::from_str::<serde_json::Map<String, Value>>(self.thought.trim()).is_ok();
        if self.text.trim().is_empty() && self.refusal.is_empty() && self.calls.is_empty() && is_object() {
            self.text = std::mem::take(&mut self.thought).trim().to_owned();
        }
    }

    /// The tool calls, in the model's order.
    pub(super) fn take_calls(&mut self) -> Vec<NativeToolCall> {
        let calls = std::mem::take(&mut self.calls).into_values();
        calls
            .map(|mut call| NativeToolCall {
                name: call.name,
                arguments: call.arguments + call.halves.rest(),
            })
            .collect()
    }

    /// Joins a fragment to its call. Without an index, a name starts a call and all else goes on with the last.
    fn add_call(&mut self, call: Call, has_halves: bool) {
        let Some(Called { name, arguments }) = call.function else {
            return;
        };
        let last = self.calls.last_key_value().map(|(index, _)| *index);
        let index = match (call.index.as_ref().and_then(Value::as_u64), &name) {
            (Some(index), _) => index,
            (None, Some(_)) => last.map_or(0, |last| last.saturating_add(1)),
            (None, None) => last.unwrap_or_default(),
        };
        let entry = self.calls.entry(index).or_default();
        // Some servers repeat the name with every fragment.
        if let Some(name) = name.filter(|name| *name != entry.name) {
            entry.name.push_str(&name);
        }
        match arguments {
            None | Some(Value::Null) => {}
            Some(Value::String(fragment)) => entry.arguments.push_str(&entry.halves.join(fragment, has_halves)),
            Some(whole) => entry.arguments = Joiner::default().join(whole.to_string(), has_halves),
        }
    }
}

/// The part of a text that is meant for its reader, where a server leaves the marks of gpt-oss in it: behind what the
/// model thought. `None`: it has no such marks.
///
/// Source: <https://cookbook.openai.com/articles/openai-harmony>.
fn final_part(text: &str) -> Option<&str> {
    let begin = text.trim_start();
    if !begin.starts_with("<|channel|>") && !begin.starts_with("<|start|>") {
        return None;
    }
    let (_, last) = text.rsplit_once("<|channel|>final")?;
    let (_, message) = last.split_once("<|message|>")?;
    let end = ["<|return|>", "<|end|>"]
        .iter()
        .filter_map(|mark| message.find(mark))
        .min();
    message.get(..end.unwrap_or(message.len()))
}

/// A word or a number.
fn plain(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The text of a message: in one piece, in parts, or as the JSON that it is.
fn text_of(content: Value) -> String {
    match content {
        Value::Array(parts) => parts.into_iter().filter_map(part).collect(),
        // Some servers read the JSON that a model wrote.
        Value::Object(fields) if !fields.is_empty() && fields.get("type").is_none_or(|kind| kind != "text") => {
            Value::Object(fields).to_string()
        }
        content => part(content).unwrap_or_default(),
    }
}

fn part(part: Value) -> Option<String> {
    match part {
        Value::Object(mut fields) => fields.remove("text").and_then(plain),
        part => plain(part),
    }
}

/// The tool calls: a list of them, or a single one.
fn calls(calls: Value) -> Vec<Call> {
    let calls = match calls {
        Value::Array(calls) => calls,
        call if is_told(&call) => vec![call],
        _ => Vec::new(),
    };
    let read = calls.into_iter().map(serde_json::from_value);
    read.filter_map(Result::ok).collect()
}

/// The tokens, if they are reported in a valid form.
fn usage(usage: &Value) -> Option<Usage> {
    Some(Usage {
        prompt_tokens: count(&usage["prompt_tokens"])?,
        completion_tokens: count(&usage["completion_tokens"]).unwrap_or_default(),
        cached_tokens: count(&usage["prompt_tokens_details"]["cached_tokens"]).unwrap_or_default(),
        cache_write_tokens: 0,
        estimated: false,
    })
}

/// Counts grow while a reply does; some servers end with zeros.
fn most(earlier: Usage, later: Usage) -> Usage {
    Usage {
        prompt_tokens: earlier.prompt_tokens.max(later.prompt_tokens),
        completion_tokens: earlier.completion_tokens.max(later.completion_tokens),
        cached_tokens: earlier.cached_tokens.max(later.cached_tokens),
        ..later
    }
}

#[cfg(test)]
mod tests;
