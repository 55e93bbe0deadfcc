//! Texts that are actions themselves: weak models write `{"type":"send_message","message":"{\"type\":…}"}`, and nobody
//! wants to read that.

use serde_json::{Map, Value};

use crate::{
    Action, Reply, Unreadable, check,
    check::tool_call,
    halves::without_halves,
    read::trimmed,
    schema::ACTIONS,
    search::{Kind, head, is_of_info},
    values::reply_text,
};

/// How deep actions may be nested in each other's texts.
const MAX_DEPTH: usize = 8;

/// The reply with what nested actions say in the place of their JSON.
///
/// # Errors
/// [`Unreadable`]: a text for the user is an action that says nothing, such as a tool call.
pub fn flattened(mut reply: Reply) -> Result<Reply, Unreadable> {
    let text = match &mut reply.action {
        Action::SendMessage { message, .. } => Some(message),
        Action::SetOutput { output, .. } => Some(output),
        Action::Finish { output, .. } => output.as_mut(),
        Action::Recover { message, .. } => message.as_mut(),
        _ => None,
    };
    if let Some(text) = text
        && let Some(said) = said(text)?
    {
        *text = said;
    }
    Ok(reply)
}

/// The message of a text that is an action as a whole, as the reader of replies takes it: thoughts, a fence and
/// other wrapping by models are left out. `None`: it is none. JSON that only looks like one is what somebody asked
/// for.
///
/// # Errors
/// [`Unreadable`]: the action says nothing, or cannot be read.
pub fn said(text: &str) -> Result<Option<String>, Unreadable> {
    let mut found: Option<String> = None;
    for _ in 0..=MAX_DEPTH {
        let Some(reply) = action(found.as_deref().unwrap_or(text))? else {
            return Ok(found);
        };
        let kind = reply.action.kind();
        let words = match reply.action {
            Action::SendMessage { message, .. } => Some(message),
            Action::SetOutput { output, .. } => Some(output),
            Action::Finish { output, .. } => output,
            _ => None,
        };
        let Some(words) = words else {
            return Err(unreadable(&format!("the text for the user is a {kind} action as JSON")));
        };
        found = Some(words);
    }
    Err(unreadable("the text for the user is actions within actions"))
}

fn unreadable(fault: &str) -> Unreadable {
    Unreadable {
        message: format!("{fault}: reply with that action itself, or write words"),
    }
}

/// The action that a text is: the first, if it is several.
fn action(text: &str) -> Result<Option<Reply>, Unreadable> {
    let text = without_halves(text);
    let spoken = reply_text(trimmed(&text));
    let inside = unfenced(trimmed(&spoken));
    if !inside.starts_with(['{', '[']) {
        return Ok(None);
    }
    let mut judged = Vec::new();
    for value in serde_json::Deserializer::from_str(inside).into_iter::<Value>() {
        match value {
            Ok(Value::Object(fields)) => judged.push(judge(&fields)),
            Ok(Value::Array(items)) if !items.is_empty() => {
                judged.extend(items.iter().map(|item| item.as_object().and_then(judge)));
            }
            Ok(_) => return Ok(None),
            Err(error) if judged.is_empty() => return broken(inside, &error),
            Err(_) => return Ok(None),
        }
    }
    // A text that holds more than actions is an answer that somebody asked for.
    let Some(actions) = judged.into_iter().collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let mut first_fault = None;
    for action in actions {
        match action {
            Ok(reply) => return Ok(Some(reply)),
            Err(fault) => first_fault = first_fault.or(Some(fault)),
        }
    }
    first_fault.map_or(Ok(None), |fault| Err(cannot_be_read(&fault)))
}

/// The content of a fence that stands around all of a text.
fn unfenced(text: &str) -> &str {
    let Some(mark) = text.chars().next().filter(|mark| matches!(mark, '`' | '~')) else {
        return text;
    };
    let rest = text.trim_start_matches(mark);
    if text.len() - rest.len() < 3 {
        return text;
    }
    rest.trim_start_matches(is_of_info).trim_end_matches(mark).trim()
}

/// The action that an object is, or what is wrong with it; `None`: it is none, or shows how one begins.
fn judge(fields: &Map<String, Value>) -> Option<Result<Reply, String>> {
    match Kind::of(fields) {
        Kind::Action(kind) => match check::reply(kind, fields) {
            Err(_) if !check::has_fields(kind, fields) => None,
            judged => Some(judged),
        },
        Kind::Tool(name) => {
            let args = fields.get("args").or_else(|| fields.get("arguments"))?;
            Some(tool_call(name, Some(args.clone()), fields.get("notes")))
        }
        Kind::Unknown(_) | Kind::None => None,
    }
}

/// An action whose JSON is cut off, or has a comma too many.
fn broken(text: &str, error: &serde_json::Error) -> Result<Option<Reply>, Unreadable> {
    let is_near = error.is_eof() || error.to_string().starts_with("trailing comma");
    let object = text.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let is_action = head(object).is_some_and(|kind| ACTIONS.contains_key(kind) || object.contains("\"arg"));
    if is_near && is_action {
        return Err(cannot_be_read(&error.to_string()));
    }
    Ok(None)
}

fn cannot_be_read(fault: &str) -> Unreadable {
    unreadable(&format!(
        "the text for the user is an action as JSON that cannot be read ({fault})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn wrapped(text: &str) -> String {
        serde_json::json!({"type": "send_message", "message": text}).to_string()
    }

    fn words(text: &str) -> Result<String, String> {
        let reply = read(&wrapped(text))
            .and_then(flattened)
            .map_err(|fault| fault.message)?;
        match reply.action {
            Action::SendMessage { message, .. } => Ok(message),
            other => Err(other.kind().to_owned()),
        }
    }

    #[test]
    fn a_text_that_is_an_action_says_what_that_says() {
        let mut deep = "hello".to_owned();
        for _ in 0..6 {
            deep = wrapped(&deep);
        }
        let cases = [
            ("hello", "hello"),
            (r#"{"type":"send_message","message":"hello"}"#, "hello"),
            (r#" {"type":"finish","output":"hello","mode":"replace"} "#, "hello"),
            (r#"{"type":"set_output","output":"hello"}"#, "hello"),
            (
                "```json\n{\"type\":\"send_message\",\"message\":\"hello\"}\n```",
                "hello",
            ),
            ("~~~\n{\"type\":\"send_message\",\"message\":\"hello\"}\n~~~", "hello"),
            (r#"```json {"type":"send_message","message":"hello"}```"#, "hello"),
            (r#"<think>hm</think>{"type":"send_message","message":"hello"}"#, "hello"),
            ("\u{feff}{\"type\":\"send_message\",\"message\":\"hello\"}", "hello"),
            (r#"[{"type":"send_message","message":"hello"}]"#, "hello"),
            (
                r#"{"type":"send_message","message":"hello"} {"type":"finish"}"#,
                "hello",
            ),
            (
                "[{\"type\":\"note\",\"category\":\"x\",\"content\":\"y\"},{\"type\":\"finish\",\"output\":\"hello\"}]",
                "hello",
            ),
            (deep.as_str(), "hello"),
            // JSON that somebody asked for.
            (r#"{"city":"Paris"}"#, r#"{"city":"Paris"}"#),
            (r#"{"type":"send_message"}"#, r#"{"type":"send_message"}"#),
            (r#"{"type":"note","text":"x"}"#, r#"{"type":"note","text":"x"}"#),
            (
                r#"{"type":"invoice","message":"x"}"#,
                r#"{"type":"invoice","message":"x"}"#,
            ),
            (r#"{"message":"a field"}"#, r#"{"message":"a field"}"#),
            (r#"{"name":"node.js","version":1}"#, r#"{"name":"node.js","version":1}"#),
            (r#"{"city":"Paris",}"#, r#"{"city":"Paris",}"#),
            (
                r#"[{"city":"Paris"},{"type":"send_message","message":"x"}]"#,
                r#"[{"city":"Paris"},{"type":"send_message","message":"x"}]"#,
            ),
            ("[]", "[]"),
            (
                r#"{"type":"send_message","message":"x"} is how to begin"#,
                r#"{"type":"send_message","message":"x"} is how to begin"#,
            ),
            ("```js\nlet a = {};\n```", "```js\nlet a = {};\n```"),
            (
                r#"Write {"type":"send_message","message":"x"}."#,
                r#"Write {"type":"send_message","message":"x"}."#,
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_an_action_which_says_nothing_is_unreadable() {
        let mut deep = "hello".to_owned();
        for _ in 0..12 {
            deep = wrapped(&deep);
        }
        let calls = r#"{"type":"tool_call","name":"compute.eval","args":{"expression":"1"}}"#;
        let expected =
            "the text for the user is a tool_call action as JSON: reply with that action itself, or write words";
        assert_eq!(words(calls), Err(expected.to_owned()));
        assert!(words(&deep).is_err());
        for text in [
            r#"{"type":"finish"}"#,
            r#"{"type":"compute.eval","args":{"expression":"1"}}"#,
            r#"{"name":"compute.eval","args":{"expression":"1"}}"#,
            r#"[{"type":"tool_call","name":"compute.eval"}]"#,
            r#"{"type":"note","category":"ideas","content":"the plan"}"#,
            r#"{"type":"send_message","message":"x","notes":[{"category":"ideas","content":"the plan"}]}"#,
            r#"{"type":"send_message","message":"x",}"#,
            r#"{"type":"send_message","message":"x"#,
            r#"{"name":"compute.eval","args":{"expression":"1"#,
            "```json\n{\"type\":\"finish\",\"output\":\"x",
        ] {
            assert!(words(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_text_for_the_user_is_looked_at() {
        let nested = r#"{"type":"finish","output":"hello"}"#;
        let outputs = [
            (serde_json::json!({"type": "finish", "output": nested}), "output"),
            (serde_json::json!({"type": "set_output", "output": nested}), "output"),
            (
                serde_json::json!({"type": "recover", "reason": "r", "message": nested}),
                "message",
            ),
        ];
        for (reply, field) in outputs {
            let flat = read(&reply.to_string())
                .and_then(flattened)
                .map(|reply| reply.to_value()[field].clone());
            assert_eq!(flat, Ok("hello".into()), "{reply}");
        }
    }
}
