//! The seam to models: requests, replies and errors.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

/// A language model, or a layer around one.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks for one completion. Text is handed to `sink` as it grows, where the provider streams.
    ///
    /// # Errors
    /// [`ModelError`] says what the caller may do about it.
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError>;
}

#[async_trait]
impl<M: Model + ?Sized> Model for Arc<M> {
    async fn complete(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, ModelError> {
        self.as_ref().complete(request, sink).await
    }
}

/// Takes text as it grows.
pub trait Sink: Send {
    /// The next piece of the reply.
    fn text(&mut self, delta: &str);

    /// The pieces so far are void: the call is made again.
    fn reset(&mut self);

    /// A provider has begun to answer: it may charge for this attempt, whatever comes of it.
    fn began(&mut self, provider: &str, model: &str);

    /// The usage of this attempt, as far as the provider has told it.
    fn used(&mut self, usage: Usage);
}

/// A sink that drops what it gets.
impl Sink for () {
    fn text(&mut self, _: &str) {}
    fn reset(&mut self) {}
    fn began(&mut self, _: &str, _: &str) {}
    fn used(&mut self, _: Usage) {}
}

/// One call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The conversation, system prompt first.
    pub messages: Vec<Message>,
    /// Images that go with one of its messages. A provider that sees none is asked without.
    pub images: Vec<Image>,
    /// The place of that message, counted from 0.
    pub images_with: usize,
    /// The schema of the reply, for providers that can constrain it.
    pub schema: Option<Schema>,
    /// The most tokens that the reply may have.
    pub max_tokens: Option<u32>,
    /// When nobody waits for the reply any more; `None`: somebody always does.
    pub deadline: Option<Instant>,
}

/// An image. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// Its media type, such as `image/png`.
    pub media_type: Arc<str>,
    /// Its content, as Base64.
    pub base64: Arc<str>,
}

/// Without its content.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {} bytes as Base64)", self.media_type, self.base64.len())
    }
}

/// One turn of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The speaker.
    pub role: Role,
    /// The text.
    pub content: String,
}

/// The speaker of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The instructions.
    System,
    /// The person, or the engine on their behalf.
    User,
    /// The model.
    Assistant,
}

/// A JSON schema for the reply, put in its text once: it goes along with every call. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Schema {
    name: Arc<str>,
    text: Arc<RawValue>,
    strict: bool,
    /// Without bounds, if all of its objects are closed.
    closed: Option<Arc<RawValue>>,
}

impl Schema {
    /// A schema (draft 2020-12) with its name (letters, digits, `_`).
    pub fn new(name: &str, schema: &Value) -> Self {
        // A `Value` is always JSON.
        let text = |schema: &Value| serde_json::value::to_raw_value(schema).unwrap_or_default();
        Self {
            name: name.into(),
            text: text(schema).into(),
            strict: schema["type"] == "object" && is_closed(schema),
            closed: without_bounds(schema).map(|schema| text(&schema).into()),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn text(&self) -> &RawValue {
        &self.text
    }

    /// Its text without bounds on lengths and numbers, if every object in it is closed: some providers take nothing
    /// else.
    pub fn closed_text(&self) -> Option<&RawValue> {
        self.closed.as_deref()
    }

    /// Whether strict mode accepts it: an object, every object in it closed, every property required.
    pub const fn is_strict(&self) -> bool {
        self.strict
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text.get() == other.text.get()
    }
}

fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().all(is_closed),
        Value::Object(fields) => {
            let object = fields.get("type").is_some_and(|kind| kind == "object") || fields.contains_key("properties");
            let closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
            let required = fields.get("required").and_then(Value::as_array);
            let complete = fields
                .get("properties")
                .and_then(Value::as_object)
                .is_none_or(|properties| {
                    properties
                        .keys()
                        .all(|name| required.is_some_and(|list| list.iter().any(|item| item == name)))
                });
            (!object || closed && complete) && fields.values().all(is_closed)
        }
        _ => true,
    }
}

/// Keywords that bound texts, numbers and lists.
const BOUNDS: [&str; 12] = [
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "format",
];

/// The schema without bounds; `None`: an object in it is open.
fn without_bounds(schema: &Value) -> Option<Value> {
    let Some(keywords) = schema.as_object() else {
        return Some(schema.clone());
    };
    let is_object = keywords.get("type").is_some_and(|kind| kind == "object") && !keywords.contains_key("anyOf");
    if is_object && keywords.get("additionalProperties") != Some(&Value::Bool(false)) {
        return None;
    }
    let mut plain = serde_json::Map::new();
    for (keyword, value) in keywords
        .iter()
        .filter(|(keyword, _)| !BOUNDS.contains(&keyword.as_str()))
    {
        let value = match (keyword.as_str(), value) {
            ("items", value) => without_bounds(value)?,
            ("properties" | "$defs", Value::Object(named)) => {
                let named = named
                    .iter()
                    .map(|(name, value)| Some((name.clone(), without_bounds(value)?)));
                Value::Object(named.collect::<Option<_>>()?)
            }
            ("anyOf" | "allOf", Value::Array(choices)) => choices.iter().map(without_bounds).collect::<Option<_>>()?,
            (_, value) => value.clone(),
        };
        plain.insert(keyword.clone(), value);
    }
    Some(Value::Object(plain))
}

/// A reply of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// The text, without what the provider calls reasoning.
    pub text: String,
    /// Tool calls in the provider's own form, if it made any.
    pub tool_calls: Vec<NativeToolCall>,
    /// Its usage.
    pub usage: Usage,
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// It ended at the most tokens of a reply, and not where the model would have ended it.
    pub is_cut: bool,
}

/// A tool call in the provider's own form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeToolCall {
    /// The function's name.
    pub name: String,
    /// Its arguments: JSON text as the model wrote it.
    pub arguments: String,
}

/// Tokens of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub prompt_tokens: u64,
    /// Tokens of the reply.
    pub completion_tokens: u64,
    /// Tokens of the request that the provider had cached.
    pub cached_tokens: u64,
    /// Tokens of the request that the provider has put into its cache now, where it charges for that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Counted here by rule of thumb, because the provider told nothing.
    pub estimated: bool,
}

impl Usage {
    /// Tokens of the request and the reply.
    pub const fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it in like this")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The thing that a provider does not accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The key.
    Key,
    /// The permission of this key.
    Permission,
    /// The model's name, or the address.
    Model,
    /// An account without money.
    Balance,
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Key => "does not accept the key",
            Self::Permission => "does not allow this to the key",
            Self::Model => "does not know the model",
            Self::Balance => "wants to be paid",
        })
    }
}

/// Why there is no completion, and what the caller may do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// The provider asks for patience: the same call may go through after this time.
    #[error("{provider} asks to wait {} s", .after.as_secs())]
    Later {
        /// The provider's name.
        provider: String,
        /// How long.
        after: Duration,
    },
    /// The provider failed, did not answer in time or could not be reached: try again with backoff.
    #[error("{provider} is not available: {reason}")]
    Overloaded {
        /// The provider's name.
        provider: String,
        /// Status, timeout or connection error, without secrets.
        reason: String,
    },
    /// The request and the reply are more than the model's context window holds: a shorter request may go through.
    #[error("{provider} refused the request as too long{}", within(*.window))]
    TooLong {
        /// The provider's name.
        provider: String,
        /// The model's window in tokens, where the refusal names it.
        window: Option<u64>,
        /// The refusal speaks of the request's bytes: images have many of them, and few tokens.
        in_bytes: bool,
    },
    /// The provider does not take the images of the request: the same request without them may go through.
    #[error("{provider} does not take the images: {reason}")]
    Unseen {
        /// The provider's name.
        provider: String,
        /// The provider's words.
        reason: String,
        /// Its model sees no images at all.
        is_blind: bool,
    },
    /// The provider takes calls, and says nothing, or nothing any more: another may be faster.
    #[error("{provider} did not answer in time: {reason}")]
    Silent {
        /// The provider's name.
        provider: String,
        /// How long it was waited for.
        reason: String,
    },
    /// The provider cannot read the request; the same one will fail again.
    #[error("{provider} refused the request: {reason}")]
    BadRequest {
        /// The provider's name.
        provider: String,
        /// The provider's words.
        reason: String,
    },
    /// The model will not answer this (content filter).
    #[error("{provider} declined to answer: {reason}")]
    Refused {
        /// The provider's name.
        provider: String,
        /// The provider's words.
        reason: String,
    },
    /// Key, rights, model name or balance are wrong: only the owner can mend it.
    #[error("{provider} {denial}: {reason}; {remedy}")]
    Unauthorised {
        /// The provider's name.
        provider: String,
        /// The provider's words.
        reason: String,
        /// The thing that it does not accept.
        denial: Denial,
        /// The setting to mend.
        remedy: String,
    },
    /// The reply broke off.
    #[error("the reply of {provider} broke off after {} characters", .partial.chars().count())]
    Cut {
        /// The provider's name.
        provider: String,
        /// The part that had come by then.
        partial: String,
    },
}

fn within(window: Option<u64>) -> String {
    window.map_or_else(String::new, |window| format!(": its window has {window} tokens"))
}

impl ModelError {
    /// The kind of error, in a word: for metrics, traces and logs, where what the provider said has no place.
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Later { .. } => "later",
            Self::Overloaded { .. } => "overloaded",
            Self::TooLong { .. } => "too_long",
            Self::Unseen { .. } => "unseen",
            Self::Silent { .. } => "silent",
            Self::BadRequest { .. } => "bad_request",
            Self::Refused { .. } => "refused",
            Self::Unauthorised { .. } => "unauthorised",
            Self::Cut { .. } => "cut",
        }
    }

    /// The provider's name in the configuration.
    pub fn provider(&self) -> &str {
        match self {
            Self::Later { provider, .. }
            | Self::Overloaded { provider, .. }
            | Self::TooLong { provider, .. }
            | Self::Unseen { provider, .. }
            | Self::Silent { provider, .. }
            | Self::BadRequest { provider, .. }
            | Self::Refused { provider, .. }
            | Self::Unauthorised { provider, .. }
            | Self::Cut { provider, .. } => provider,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_for_length_tells_the_window_where_it_is_known() {
        let error = |window| {
            let provider = "main".to_owned();
            let in_bytes = false;
            ModelError::TooLong {
                provider,
                window,
                in_bytes,
            }
            .to_string()
        };
        assert_eq!(error(None), "main refused the request as too long");
        assert_eq!(
            error(Some(8192)),
            "main refused the request as too long: its window has 8192 tokens"
        );
    }

    #[test]
    fn a_closed_schema_loses_its_bounds_and_an_open_one_has_no_such_text() {
        let closed = |schema: &Value| Schema::new("a", schema).closed_text().map(|text| text.get().to_owned());
        let item = json!({"type": "object", "properties": {"format": {"type": "string", "minLength": 1}},
            "required": ["format"], "additionalProperties": false});
        let schema = json!({"type": "object", "properties": {"list": {"type": "array", "items": item, "maxItems": 3}},
            "additionalProperties": false});
        let plain = json!({"type": "object", "properties": {"list": {"type": "array", "items": {
            "type": "object", "properties": {"format": {"type": "string"}}, "required": ["format"],
            "additionalProperties": false}}}, "additionalProperties": false});
        assert_eq!(closed(&schema), Some(plain.to_string()));
        let open = json!({"type": "object", "properties": {"args": {"type": "object"}}, "additionalProperties": false});
        assert_eq!(closed(&open), None);
        let choice = json!({"type": "object", "anyOf": [plain, open]});
        assert_eq!(closed(&choice), None);
    }
}
