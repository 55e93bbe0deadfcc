//! The form of a reply as a function that must be called: for servers that know functions and no JSON modes.
//!
//! A function's arguments must be a plain object, and the form of a reply may be a choice of several. So the reply is
//! one argument.

use clifford_llm_api::model::{Completion, Schema};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

/// The description of every such function.
const DESCRIPTION: &str = "Gives the reply. Call it once, with the whole reply, and write nothing else.";

/// A function, as both protocols describe it but for the names of the fields.
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'static str,
    pub(crate) parameters: Parameters<'a>,
}

/// Its arguments, as a JSON schema.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Parameters<'a> {
    r#type: &'static str,
    properties: Properties<'a>,
    required: [&'static str; 1],
    additional_properties: bool,
}

#[derive(Clone, Copy, Serialize)]
struct Properties<'a> {
    reply: &'a RawValue,
}

impl<'a> Function<'a> {
    /// The function that takes a reply of this form.
    pub(crate) fn taking(schema: &'a Schema) -> Self {
        Self {
            name: schema.name(),
            description: DESCRIPTION,
            parameters: Parameters {
                r#type: "object",
                properties: Properties { reply: schema.text() },
                required: ["reply"],
                additional_properties: false,
            },
        }
    }
}

/// Replaces the call that gave the reply by the reply. Any other call stays as it is.
pub(crate) fn unwrap(mut completion: Completion, schema: Option<&Schema>) -> Completion {
    let ([call], Some(schema)) = (completion.tool_calls.as_slice(), schema) else {
        return completion;
    };
    if call.name != schema.name() {
        return completion;
    }
    completion.text = match serde_json::from_str(&call.arguments) {
        // Some models leave the argument's name out.
        Ok(Value::Object(mut arguments)) => match arguments.remove("reply") {
            Some(Value::String(text)) => text,
            Some(reply) => reply.to_string(),
            None => Value::Object(arguments).to_string(),
        },
        _ => call.arguments.clone(),
    };
    completion.tool_calls.clear();
    completion
}

#[cfg(test)]
mod tests {
    use clifford_llm_api::model::NativeToolCall;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_reply_is_what_its_function_was_called_with() {
        let schema = Schema::new("action", &json!({"type": "object"}));
        let unwrapped = |name: &str, arguments: &str| {
            let call = NativeToolCall {
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            };
            let completion = Completion {
                text: "Here:".to_owned(),
                tool_calls: vec![call],
                ..Completion::default()
            };
            let found = unwrap(completion, Some(&schema));
            (found.text, found.tool_calls.len())
        };
        let cases = [
            (r#"{"reply":{"type":"finish"}}"#, r#"{"type":"finish"}"#),
            (r#"{"type":"finish"}"#, r#"{"type":"finish"}"#),
            (r#"{"reply":"{\"type\":\"finish\"}"}"#, r#"{"type":"finish"}"#),
            (r#"{"reply":{"type":"#, r#"{"reply":{"type":"#),
        ];
        for (arguments, expected) in cases {
            assert_eq!(unwrapped("action", arguments), (expected.to_owned(), 0), "{arguments}");
        }
        assert_eq!(unwrapped("web.fetch", "{}"), ("Here:".to_owned(), 1));
    }
}
