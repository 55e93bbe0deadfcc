//! A reply of the messages API, whole or as a stream of events.
//!
//! Source: <https://platform.claude.com/docs/en/build-with-claude/streaming>.

use std::collections::BTreeMap;

use clifford_llm_api::model::{NativeToolCall, Usage};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::remote::{Joiner, is_told, usage::count};

/// A whole reply, or an error in the place of one.
#[derive(Debug, Deserialize)]
pub(super) struct Whole {
    #[serde(default, deserialize_with = "blocks")]
    content: Option<Vec<Block>>,
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
    usage: Option<Value>,
    error: Option<Value>,
    /// An error without a frame of its own, as proxies write it.
    detail: Option<Value>,
    /// The same.
    message: Option<Value>,
}

impl Whole {
    /// The error that stands in its place.
    pub(super) fn error(&self) -> Option<&Value> {
        self.error.as_ref().filter(|error| is_told(error)).or_else(|| {
            let unframed = [&self.detail, &self.message].into_iter().flatten();
            unframed.into_iter().find(|told| self.is_empty() && is_told(told))
        })
    }

    /// There is no content, not even an empty one.
    pub(super) const fn is_empty(&self) -> bool {
        self.content.is_none()
    }
}

/// The blocks of a content that can be read; some servers send its text in their place.
fn blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Block>>, D::Error> {
    Ok(match Option::deserialize(deserializer)? {
        Some(Value::Array(blocks)) => {
            let read = blocks.into_iter().map(serde_json::from_value);
            Some(read.filter_map(Result::ok).collect())
        }
        Some(Value::String(text)) => Some(vec![Block::Text { text }]),
        _ => None,
    })
}

/// An event of a stream.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    MessageDelta {
        delta: MessageDelta,
        usage: Option<Value>,
    },
    MessageStop,
    /// A whole reply in the place of a stream.
    Message(Box<Whole>),
    Error {
        error: Value,
    },
    /// `ping`, `content_block_stop`, and what there will be one day.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Start {
    usage: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    ToolUse {
        name: String,
        #[serde(default)]
        input: Value,
    },
    /// Reasoning, and types unknown here.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct MessageDelta {
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
}

#[derive(Debug, Deserialize)]
struct StopDetails {
    explanation: Option<String>,
}

/// Tokens as the server reports them: reads from the cache and writes to it are not in `input_tokens`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tokens {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Tokens {
    /// A count that is none says nothing of the others.
    fn read(usage: &Value) -> Self {
        Self {
            input_tokens: count(&usage["input_tokens"]),
            cache_creation_input_tokens: count(&usage["cache_creation_input_tokens"]),
            cache_read_input_tokens: count(&usage["cache_read_input_tokens"]),
            output_tokens: count(&usage["output_tokens"]),
        }
    }

    /// Later counts replace earlier ones.
    fn updated(self, later: Self) -> Self {
        Self {
            input_tokens: later.input_tokens.or(self.input_tokens),
            cache_creation_input_tokens: later.cache_creation_input_tokens.or(self.cache_creation_input_tokens),
            cache_read_input_tokens: later.cache_read_input_tokens.or(self.cache_read_input_tokens),
            output_tokens: later.output_tokens.or(self.output_tokens),
        }
    }
}

/// A reply as it comes together.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) text: String,
    pub(super) stop_reason: Option<String>,
    /// Why the model declined, if it says so.
    pub(super) explanation: String,
    tokens: Option<Tokens>,
    halves: Joiner,
    calls: BTreeMap<u64, PartialCall>,
}

/// A tool call as it comes together.
#[derive(Debug)]
struct PartialCall {
    call: NativeToolCall,
    halves: Joiner,
}

impl Gathered {
    /// A reply of this text.
    pub(super) fn written(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Takes a whole reply.
    pub(super) fn add_whole(&mut self, whole: Whole, has_halves: bool, mut text: impl FnMut(&str)) {
        for (index, block) in (0..).zip(whole.content.into_iter().flatten()) {
            self.begin(index, block, has_halves, &mut text);
        }
        self.stop(whole.stop_reason, whole.stop_details);
        self.count(whole.usage);
    }

    /// Takes an event, and returns whether the reply grew by it. Text goes to `text` too. `has_halves`: the event has
    /// stand-ins for halves of characters.
    pub(super) fn add(&mut self, event: Event, has_halves: bool, mut text: impl FnMut(&str)) -> bool {
        // Pings and the start come from the server, not from the model.
        let has_grown = !matches!(event, Event::MessageStart { .. } | Event::Other);
        match event {
            Event::MessageStart { message } => self.count(message.usage),
            Event::ContentBlockStart { index, content_block } => {
                self.begin(index, content_block, has_halves, &mut text);
            }
            Event::ContentBlockDelta { index, delta } => match delta {
                Delta::Text { text: piece } => self.say(piece, has_halves, &mut text),
                Delta::InputJson { partial_json } => {
                    if let Some(PartialCall { call, halves }) = self.calls.get_mut(&index) {
                        call.arguments.push_str(&halves.join(partial_json, has_halves));
                    }
                }
                Delta::Other => {}
            },
            Event::MessageDelta { delta, usage } => {
                self.stop(delta.stop_reason, delta.stop_details);
                self.count(usage);
            }
            Event::Message(whole) => self.add_whole(*whole, has_halves, text),
            Event::MessageStop | Event::Error { .. } | Event::Other => {}
        }
        has_grown
    }

    /// The reply is over: what is still a half of a character stays one.
    pub(super) fn end(&mut self) {
        self.text.push_str(self.halves.rest());
    }

    fn begin(&mut self, index: u64, block: Block, has_halves: bool, text: &mut dyn FnMut(&str)) {
        match block {
            Block::Text { text: piece } => self.say(piece, has_halves, text),
            Block::ToolUse { name, input } => {
                // In a stream it begins empty, and its text follows.
                let is_empty = input.as_object().is_none_or(serde_json::Map::is_empty);
                let arguments = if is_empty { String::new() } else { input.to_string() };
                let mut halves = Joiner::default();
                let arguments = halves.join(arguments, has_halves);
                let call = NativeToolCall { name, arguments };
                self.calls.insert(index, PartialCall { call, halves });
            }
            Block::Other => {}
        }
    }

    fn say(&mut self, piece: String, has_halves: bool, text: &mut dyn FnMut(&str)) {
        let piece = self.halves.join(piece, has_halves);
        if !piece.is_empty() {
            text(&piece);
            self.text.push_str(&piece);
        }
    }

    fn stop(&mut self, reason: Option<String>, details: Option<StopDetails>) {
        self.stop_reason = reason.or(self.stop_reason.take());
        if let Some(explanation) = details.and_then(|details| details.explanation) {
            self.explanation = explanation;
        }
    }

    /// Takes the tokens, if they are reported in a valid form.
    fn count(&mut self, tokens: Option<Value>) {
        if let Some(later) = tokens.filter(Value::is_object) {
            self.tokens = Some(self.tokens.unwrap_or_default().updated(Tokens::read(&later)));
        }
    }

    /// The tool calls, in the model's order. One without arguments has an empty object of them.
    pub(super) fn take_calls(&mut self) -> Vec<NativeToolCall> {
        let calls = std::mem::take(&mut self.calls).into_values();
        calls
            .map(|PartialCall { mut call, mut halves }| {
                call.arguments.push_str(halves.rest());
                if call.arguments.is_empty() {
                    call.arguments.push_str("{}");
                }
                call
            })
            .collect()
    }

    /// The tokens, if they were reported: all that the model read, from its cache or not.
    pub(super) fn usage(&self) -> Option<Usage> {
        let tokens = self.tokens?;
        let read = tokens.cache_read_input_tokens.unwrap_or_default();
        let written = tokens.cache_creation_input_tokens.unwrap_or_default();
        Some(Usage {
            prompt_tokens: tokens.input_tokens?.saturating_add(read).saturating_add(written),
            completion_tokens: tokens.output_tokens.unwrap_or_default(),
            cached_tokens: read,
            cache_write_tokens: written,
            estimated: false,
        })
    }
}
