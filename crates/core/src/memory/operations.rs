//! The changes that the memory writer's model asks for, read from its reply, however noisy.

use serde_json::{Map, Value};

use crate::column::text_enum;

text_enum! {
    /// The effect of an operation on an item.
    Op {
        /// It is new.
        Add = "add",
        /// It is not as it was.
        Update = "update",
        /// It holds no more.
        Delete = "delete",
        /// It was spoken of, and still holds.
        Touch = "touch",
    }
}

/// One change that the model asks for. The rules judge it later.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The kind of change.
    pub op: Op,
    /// The item, as the prompt named it.
    pub id: Option<String>,
    /// The item's module.
    pub module: Option<String>,
    /// The item's key.
    pub key: Option<String>,
    /// The level that it is to have; no number: an error later.
    pub level: Option<i64>,
    /// The value that it is to have.
    pub value: Option<String>,
    /// How sure the model is.
    pub confidence: Option<f64>,
}

/// An operation, or why there is none where one should be.
pub type Reading = Result<Operation, String>;

/// The operations in a reply. The first array, or object with `operations`, counts; where there is none, every object
/// that is an operation.
///
/// # Errors
/// There is nothing of the kind in it.
pub fn read(text: &str) -> Result<Vec<Reading>, String> {
    let values = clifford_action::values(text);
    if let Some(items) = values.iter().find_map(list) {
        let mut readings = Vec::new();
        flatten(items, &mut readings);
        return Ok(readings);
    }
    let single: Vec<_> = values
        .iter()
        .filter(|value| op_of(value).is_some())
        .map(read_one)
        .collect();
    match (single.is_empty(), values.as_slice()) {
        (false, _) => Ok(single),
        // An empty object says: nothing.
        (true, [Value::Object(fields)]) if fields.is_empty() => Ok(Vec::new()),
        (true, _) => Err(format!(
            "the reply holds no operations: {}",
            super::levels::cut(&clifford_action::reply_text(text), 200)
        )),
    }
}

/// The list that a value is, or holds as `operations`.
fn list(value: &Value) -> Option<&Vec<Value>> {
    match value {
        Value::Array(items) if items.is_empty() || items.iter().any(|item| item.is_object() || item.is_array()) => {
            Some(items)
        }
        Value::Object(fields) => fields.get("operations").and_then(Value::as_array),
        _ => None,
    }
}

fn flatten(items: &[Value], readings: &mut Vec<Reading>) {
    for item in items {
        match item {
            Value::Array(inner) => flatten(inner, readings),
            other => readings.push(read_one(other)),
        }
    }
}

/// The operation that an object names, under one of the field names that models use.
fn op_of(value: &Value) -> Option<&str> {
    let fields = value.as_object()?;
    ["op", "action", "type"]
        .into_iter()
        .find_map(|name| fields.get(name).and_then(Value::as_str))
}

fn read_one(value: &Value) -> Reading {
    let Value::Object(fields) = value else {
        return Err("it is no object".to_owned());
    };
    let Some(named) = op_of(value) else {
        return Err("`op` is missing".to_owned());
    };
    let op = named
        .trim()
        .to_lowercase()
        .parse()
        .map_err(|error: String| format!("op: {}", super::levels::cut(&error, 100)))?;
    let value = [text(fields, "value")?, text(fields, "new_value")?];
    Ok(Operation {
        op,
        id: text(fields, "id")?,
        module: name(fields, "module")?,
        key: name(fields, "key")?,
        level: level(fields)?,
        value: value.into_iter().flatten().next(),
        confidence: confidence(fields)?,
    })
}

/// A field as text; numbers are taken as they are written, and what is empty is left out.
fn text(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(Value::Bool(flag)) => Ok(Some(flag.to_string())),
        Some(_) => Err(format!("{name}: it is no text")),
    }
}

/// A field as a name; one without a word in it is left out.
fn name(fields: &Map<String, Value>, field: &str) -> Result<Option<String>, String> {
    let name = text(fields, field)?.map(|name| snake(&name));
    Ok(name.filter(|name| !name.is_empty()))
}

/// A number, also where it is written as text.
fn number(fields: &Map<String, Value>, name: &str) -> Result<Option<f64>, String> {
    let Some(text) = text(fields, name)? else {
        return Ok(None);
    };
    text.parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
        .map(Some)
        .ok_or_else(|| format!("{name}: it is no number"))
}

fn level(fields: &Map<String, Value>) -> Result<Option<i64>, String> {
    let Some(number) = number(fields, "level")? else {
        return Ok(None);
    };
    (0_i64..=5)
        .find(|level| (number - *level as f64).abs() < f64::EPSILON)
        .map(Some)
        .ok_or_else(|| "level: it is none of 0 to 5".to_owned())
}

fn confidence(fields: &Map<String, Value>) -> Result<Option<f64>, String> {
    Ok(number(fields, "confidence")?.map(|number| number.clamp(0.0, 1.0)))
}

/// A name as it is kept: lower case, words joined by underscores.
fn snake(name: &str) -> String {
    name.to_lowercase()
        .split(|c: char| c.is_whitespace() || c == '-' || c == '_')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add() -> Operation {
        Operation {
            op: Op::Add,
            id: None,
            module: Some("identity".into()),
            key: Some("name".into()),
            level: Some(0),
            value: Some("Ada".into()),
            confidence: Some(0.9),
        }
    }

    const ADD: &str = r#"{"op":"add","module":"identity","key":"name","level":0,"value":"Ada","confidence":0.9}"#;

    #[test]
    fn operations_are_read_however_they_are_wrapped() {
        for text in [
            format!("[{ADD}]"),
            format!(r#"{{"operations":[{ADD}]}}"#),
            ADD.to_owned(),
            format!("```json\n[{ADD}]\n```"),
            format!("Sure! Here they are:\n{{\"operations\": [{ADD}]}}\nAnything else?"),
            format!("<think>{{\"op\":\"delete\"}}</think>[{ADD}]"),
            format!("[[{ADD}]]"),
            format!("[{ADD},{{\"op\":\"ad"),
            ADD.replace("\"op\"", "\"action\""),
            ADD.replace("\"op\"", "\"type\"").replace("add", "ADD "),
            ADD.replace("\"value\"", "\"new_value\""),
            ADD.replace(":0,", ":\"0\",").replace("0.9", "\"0.9\""),
            ADD.replace("name", "Name ").replace("identity", "Identity"),
        ] {
            assert_eq!(read(&text), Ok(vec![Ok(add())]), "{text}");
        }
        for text in ["[]", "{\"operations\":[]}", "{}", "Nothing new: []"] {
            assert_eq!(read(text), Ok(vec![]), "{text}");
        }
        assert_eq!(
            read(&format!("{ADD}\n{ADD}")).map(|readings| readings.len()),
            Ok(2),
            "one a line"
        );
    }

    #[test]
    fn one_bad_operation_spoils_no_other() {
        let text = format!(
            r#"[7,{{"module":"identity"}},{{"op":"explode"}},{{"op":"add","level":9}},{{"op":"add","level":"high"}},
                {{"op":"add","value":["a"]}},{ADD}]"#
        );
        let errors = [
            "it is no object",
            "`op` is missing",
            "op: `explode` is none of add, update, delete, touch",
            "level: it is none of 0 to 5",
            "level: it is no number",
            "value: it is no text",
        ];
        let expected: Vec<Reading> = (errors.into_iter().map(|error| Err(error.to_owned())))
            .chain([Ok(add())])
            .collect();
        assert_eq!(read(&text), Ok(expected));
    }

    #[test]
    fn what_is_not_given_is_left_out_and_what_is_too_sure_is_not_surer_than_certain() {
        let touch = Operation {
            op: Op::Touch,
            id: Some("3".into()),
            module: None,
            key: None,
            level: None,
            value: None,
            confidence: Some(1.0),
        };
        let text = r#"{"op":"touch","id":3,"module":"- _","key":"","confidence":17}"#;
        assert_eq!(read(text), Ok(vec![Ok(touch)]));
    }

    #[test]
    fn a_reply_without_operations_is_an_error() {
        for text in [
            "",
            "I will remember that.",
            "{\"type\":[1]}",
            "[1,2]",
            "{\"name\":\"Ada\"}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(
            read("I will remember."),
            Err("the reply holds no operations: I will remember.".to_owned())
        );
    }
}
