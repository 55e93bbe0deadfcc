//! A request in the form of the messages API: the system prompt apart, turns in strict alternation, marks for its
//! cache.
//!
//! Source: <https://platform.claude.com/docs/en/api/messages>.

use clifford_llm_api::model::{Image, Message, Request, Role};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    function::{Function, Parameters},
    remote::{DEFAULT_MAX_TOKENS, ProviderConfig, Terms},
    settings::Structured,
};

/// Stands where a person's turn must be and nobody said anything. Always in the same places, so that the prefix of a
/// growing conversation stays the same.
const GO_ON: &str = "Go on.";
/// Stands before a conversation whose beginning is missing.
const EARLIER: &str = "(What was said before is left out.)";

/// The request.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { schema: &'a RawValue },
}

#[derive(Debug, PartialEq, Serialize)]
struct Turn<'a> {
    role: Role,
    content: Vec<Block<'a>>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text { text: &'a str },
    Image { source: Source<'a> },
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'static str,
    input_schema: Parameters<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ToolChoice<'a> {
    Tool { name: &'a str },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum CacheControl {
    Ephemeral,
}

impl<'a> Body<'a> {
    /// Puts a request in the terms that the server understands.
    pub(super) fn new(config: &'a ProviderConfig, request: &'a Request, terms: Terms) -> Self {
        let (system, said): (Vec<_>, Vec<_>) = request
            .messages
            .iter()
            .filter(|message| !message.content.trim().is_empty())
            .partition(|message| message.role == Role::System);
        let mut system: Vec<_> = system.into_iter().map(|message| block(&message.content)).collect();
        mark(system.last_mut());
        let schema = request
            .schema
            .as_ref()
            .filter(|_| terms.structured == Structured::JsonSchema);
        let function = (request.schema.as_ref())
            .filter(|_| terms.structured == Structured::Function)
            .map(Function::taking);
        let seen = (request.messages.get(request.images_with))
            .filter(|_| config.images.is_shown() && !request.images.is_empty());
        Self {
            model: &config.section.model,
            max_tokens: request
                .max_tokens
                .or(config.section.max_tokens)
                .unwrap_or(DEFAULT_MAX_TOKENS),
            system,
            messages: turns(&said, seen.map(|message| (message, request.images.as_slice()))),
            output_config: schema
                .and_then(|schema| schema.closed_text())
                .map(|schema| OutputConfig {
                    format: Format::JsonSchema { schema },
                }),
            tool_choice: function
                .as_ref()
                .map(|function| ToolChoice::Tool { name: function.name }),
            tools: function.map(|function| {
                [Tool {
                    name: function.name,
                    description: function.description,
                    input_schema: function.parameters,
                }]
            }),
            // The range here ends at 1.
            temperature: terms.temperature.then_some(config.section.temperature.min(1.0)),
            stream: config.section.stream && terms.stream,
        }
    }
}

/// Turns that alternate, a person's first and last. The part that holds for a whole run ends with the first of them,
/// and the part that the next call repeats with the last: there the cache is marked. Images stand before the words that
/// they go with.
fn turns<'a>(said: &[&'a Message], seen: Option<(&'a Message, &'a [Image])>) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    for message in said {
        match (turns.last_mut(), message.role) {
            (Some(last), Role::User) if last.role == Role::User => last.content.push(block(&message.content)),
            (last, role) => {
                if role == Role::Assistant && last.is_none_or(|last| last.role == Role::Assistant) {
                    let filler = if turns.is_empty() { EARLIER } else { GO_ON };
                    turns.push(turn(Role::User, filler));
                }
                turns.push(turn(role, &message.content));
            }
        }
        if let (Some((with, images)), Some(last)) = (seen, turns.last_mut())
            && std::ptr::eq(*message, with)
        {
            let place = last.content.len().saturating_sub(1);
            last.content.splice(place..place, images.iter().map(picture));
        }
    }
    if turns.last().is_none_or(|last| last.role == Role::Assistant) {
        turns.push(turn(Role::User, GO_ON));
    }
    mark(turns.first_mut().and_then(|first| first.content.first_mut()));
    mark(turns.last_mut().and_then(|last| last.content.last_mut()));
    turns
}

fn turn(role: Role, text: &str) -> Turn<'_> {
    Turn {
        role,
        content: vec![block(text)],
    }
}

fn block(text: &str) -> Block<'_> {
    // The API refuses an answer of its own that ends in white space; to others it means nothing.
    Block {
        content: Content::Text { text: text.trim_end() },
        cache_control: None,
    }
}

fn picture(image: &Image) -> Block<'_> {
    Block {
        content: Content::Image {
            source: Source::Base64 {
                media_type: &image.media_type,
                data: &image.base64,
            },
        },
        cache_control: None,
    }
}

fn mark(block: Option<&mut Block<'_>>) {
    if let Some(block) = block {
        block.cache_control = Some(CacheControl::Ephemeral);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn message(role: Role, content: &str) -> Message {
        Message {
            role,
            content: content.to_owned(),
        }
    }

    fn said(messages: &[(Role, &str)]) -> Vec<Value> {
        let messages: Vec<_> = messages.iter().map(|(role, text)| message(*role, text)).collect();
        let turns = turns(&messages.iter().collect::<Vec<_>>(), None);
        turns
            .iter()
            .map(|turn| {
                let text = |block: &Block<'_>| match block.content {
                    Content::Text { text } => text.to_owned(),
                    Content::Image { .. } => "an image".to_owned(),
                };
                let texts: Vec<_> = turn.content.iter().map(text).collect();
                json!([turn.role, texts])
            })
            .collect()
    }

    #[test]
    fn turns_alternate_whatever_was_said() {
        use Role::{Assistant, User};
        let cases: [(&[(Role, &str)], Value); 5] = [
            (&[(User, "a")], json!([["user", ["a"]]])),
            (&[(User, "a"), (User, "b")], json!([["user", ["a", "b"]]])),
            (
                &[(User, "a"), (Assistant, "b"), (Assistant, "c "), (User, "d")],
                json!([
                    ["user", ["a"]],
                    ["assistant", ["b"]],
                    ["user", ["Go on."]],
                    ["assistant", ["c"]],
                    ["user", ["d"]]
                ]),
            ),
            (
                &[(Assistant, "b"), (User, "c")],
                json!([
                    ["user", ["(What was said before is left out.)"]],
                    ["assistant", ["b"]],
                    ["user", ["c"]]
                ]),
            ),
            (
                &[(User, "a"), (Assistant, "b")],
                json!([["user", ["a"]], ["assistant", ["b"]], ["user", ["Go on."]]]),
            ),
        ];
        for (given, expected) in cases {
            assert_eq!(Value::Array(said(given)), expected, "{given:?}");
        }
    }

    #[test]
    fn a_longer_conversation_begins_as_the_shorter_one() {
        use Role::{Assistant, User};
        let all = [
            (User, "a"),
            (Assistant, "b"),
            (Assistant, "c"),
            (User, "d"),
            (User, "e"),
            (Assistant, "f"),
        ];
        let whole = said(&all).iter().map(Value::to_string).collect::<String>();
        // A model is asked before each of its answers.
        for length in (1..all.len()).filter(|length| all[*length].0 == Assistant) {
            let shorter = said(&all[..length]).iter().map(Value::to_string).collect::<String>();
            let open = shorter.trim_end_matches("]]");
            assert!(whole.starts_with(open), "{open}\n{whole}");
        }
    }
}
