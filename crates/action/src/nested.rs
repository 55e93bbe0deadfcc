//! Texts that are actions themselves: weak models write `{"type":"send_message","message":"{\"type\":…}"}`, and nobody
//! wants to read that.

use serde_json::{Map, Value};

use crate::{Action, Reply, Unreadable, check, schema::ACTIONS};

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

/// What a text says that is an action as a whole, perhaps in a fence; `None`: it is none. JSON that only looks like one
/// is what somebody asked for.
///
/// # Errors
/// [`Unreadable`]: the action says nothing.
pub fn said(text: &str) -> Result<Option<String>, Unreadable> {
    let mut found: Option<String> = None;
    for _ in 0..=MAX_DEPTH {
        let Some(reply) = action(found.as_deref().unwrap_or(text)) else {
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

/// The action that a text is.
fn action(text: &str) -> Option<Reply> {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    // The first line names the fence.
    let inside = inside
        .and_then(|fenced| fenced.split_once('\n'))
        .map_or(text, |(_, inside)| inside.trim());
    if !inside.starts_with('{') || !inside.ends_with('}') {
        return None;
    }
    let fields: Map<String, Value> = serde_json::from_str(inside).ok()?;
    let kind = fields
        .get("type")?
        .as_str()
        .filter(|kind| ACTIONS.contains_key(*kind))?;
    check::reply(kind, &fields).ok()
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
            (deep.as_str(), "hello"),
            // What somebody asked for.
            (r#"{"city":"Paris"}"#, r#"{"city":"Paris"}"#),
            (r#"{"type":"send_message"}"#, r#"{"type":"send_message"}"#),
            (r#"{"type":"note","text":"x"}"#, r#"{"type":"note","text":"x"}"#),
            (
                r#"{"type":"invoice","message":"x"}"#,
                r#"{"type":"invoice","message":"x"}"#,
            ),
            (r#"{"message":"a field"}"#, r#"{"message":"a field"}"#),
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
        assert!(words(r#"{"type":"finish"}"#).is_err());
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
