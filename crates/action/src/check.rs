//! Takes the known fields of an object, as the schema has them, and describes a wrong one in words.

use serde_json::{Map, Number, Value, json};

use crate::{
    Action, OutputMode, Reply,
    schema::{ACTIONS, NOTES},
};

/// How deep a tool's arguments may be nested. Well below what JSON parsers accept, because the arguments are later
/// stored and sent within other objects.
const MAX_DEPTH: usize = 64;

/// A reply in which no action was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    /// The fault, in words fit to be sent back to the model.
    pub message: String,
}

/// Reads the fields of an action of this kind. Unknown fields are left out; camelCase names count as snake_case.
///
/// # Errors
/// The field that is wrong, and why.
pub(crate) fn reply(kind: &str, fields: &Map<String, Value>) -> Result<Reply, String> {
    let fault = |fault: String| format!("{kind}: {fault}");
    let schema = ACTIONS.get(kind).ok_or_else(|| fault("no such action".into()))?;
    let mut known = object(schema, fields, "").map_err(fault)?;
    known.insert("type".into(), kind.into());
    if let Some(notes) = present_field(fields, "notes") {
        known.insert("notes".into(), value(&NOTES, notes, "notes").map_err(fault)?);
    }
    let mut reply: Reply = serde_json::from_value(known.into()).map_err(|error| fault(error.to_string()))?;
    if let Action::Finish {
        output: Some(_),
        mode: mode @ None,
        ..
    } = &mut reply.action
    {
        *mode = Some(OutputMode::default());
    }
    Ok(reply)
}

/// Whether any field of an action of this kind is given.
pub(crate) fn has_fields(kind: &str, fields: &Map<String, Value>) -> bool {
    let own = ACTIONS.get(kind).and_then(|schema| schema["properties"].as_object());
    let names = own.into_iter().flat_map(Map::keys).filter(|name| *name != "type");
    names
        .map(String::as_str)
        .chain(["notes"])
        .any(|name| present_field(fields, name).is_some())
}

fn object(schema: &Value, fields: &Map<String, Value>, path: &str) -> Result<Map<String, Value>, String> {
    let required = schema["required"].as_array();
    let mut known = Map::new();
    for (name, schema) in schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "type")
    {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        if let Some(field) = present_field(fields, name) {
            known.insert(name.clone(), value(schema, field, &path)?);
        } else if required.is_some_and(|required| required.iter().any(|required| required == name)) {
            return Err(format!("`{path}` is missing: it must be {}", expected(schema)));
        }
    }
    Ok(known)
}

/// The field under its own name or in camelCase, unless it is null.
fn present_field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let named = |name: &str| fields.get(name).filter(|value| !value.is_null());
    named(name).or_else(|| named(&camel_case(name)))
}

fn camel_case(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    for (index, word) in name.split('_').enumerate() {
        let (first, rest) = word.split_at(word.len().min(usize::from(index > 0)));
        camel.push_str(&first.to_ascii_uppercase());
        camel.push_str(rest);
    }
    camel
}

fn value(schema: &Value, value: &Value, path: &str) -> Result<Value, String> {
    let wrong = || {
        Err(format!(
            "`{path}` must be {}, not {}",
            expected(schema),
            describe(value)
        ))
    };
    match (schema["type"].as_str(), value) {
        (Some("string"), Value::String(text)) => match schema["enum"].as_array() {
            Some(choices) if !choices.contains(value) => wrong(),
            _ if schema.get("minLength").is_some() && text.trim().is_empty() => {
                Err(format!("`{path}` must not be blank"))
            }
            _ => Ok(value.clone()),
        },
        (Some("integer"), Value::Number(number)) => match whole(number) {
            Some(whole) if (least(schema)..=most(schema)).contains(&whole) => Ok(whole.into()),
            _ => wrong(),
        },
        (Some("array"), Value::Array(items)) => {
            if schema.get("minItems").is_some() && items.is_empty() {
                return Err(format!("`{path}` must not be empty"));
            }
            let item = |(index, item)| self::value(&schema["items"], item, &format!("{path}[{index}]"));
            items.iter().enumerate().map(item).collect()
        }
        (Some("object"), Value::Object(fields)) if schema.get("properties").is_some() => {
            object(schema, fields, path).map(Value::Object)
        }
        (Some("object"), Value::Object(_)) => any_object(value.clone(), path),
        // Some models write the arguments of a call as the text that providers' own calls carry.
        (Some("object"), Value::String(text)) if schema.get("properties").is_none() => match serde_json::from_str(text)
        {
            Ok(object @ Value::Object(_)) => any_object(object, path),
            _ => wrong(),
        },
        _ => wrong(),
    }
}

/// An object with any fields, unless it is nested too deep.
fn any_object(object: Value, path: &str) -> Result<Value, String> {
    match deeper_than(MAX_DEPTH, &object) {
        true => Err(format!("`{path}` is nested more than {MAX_DEPTH} levels deep")),
        false => Ok(object),
    }
}

/// The number, if it is whole and not negative, be it written as `30` or `30.0`.
fn whole(number: &Number) -> Option<u64> {
    let rounded = || {
        number
            .as_f64()
            .filter(|float| float.fract() == 0.0 && (0.0..9e15).contains(float))
    };
    number.as_u64().or_else(|| rounded().map(|float| float as u64))
}

fn least(schema: &Value) -> u64 {
    schema["minimum"].as_u64().unwrap_or(0)
}

fn most(schema: &Value) -> u64 {
    if schema["format"] == "uint32" {
        u32::MAX.into()
    } else {
        u64::MAX
    }
}

fn deeper_than(levels: usize, value: &Value) -> bool {
    let deeper = |inner: &Value| levels == 0 || deeper_than(levels - 1, inner);
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(deeper),
        Value::Object(fields) => levels == 0 || fields.values().any(deeper),
        _ => false,
    }
}

/// The values that a field accepts, in words.
fn expected(schema: &Value) -> String {
    if let Some(choices) = schema["enum"].as_array() {
        let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", choices.join(", "));
    }
    match schema["type"].as_str() {
        Some("integer") if most(schema) < u64::MAX => {
            format!("a whole number from {} to {}", least(schema), most(schema))
        }
        Some("integer") => format!("a whole number of at least {}", least(schema)),
        Some("array") if schema["items"]["type"] == "object" => "a list of objects".into(),
        Some("array") => "a list of strings".into(),
        Some("object") => "an object".into(),
        _ => "a string".into(),
    }
}

/// The value that stands there instead, in words.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::String(text) => shortened(text),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
        scalar => scalar.to_string(),
    }
}

/// The text in quotes, cut to a length that is fit for a message.
pub(crate) fn shortened(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

pub(crate) fn tool_call(name: &str, args: Option<Value>, notes: Option<&Value>) -> Result<Reply, String> {
    let fields = json!({ "name": name, "args": args, "notes": notes });
    reply("tool_call", fields.as_object().unwrap_or(&Map::new()))
}
