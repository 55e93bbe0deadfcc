//! Direct chat: how the one reply of a run without tools is read. Pure.
//!
//! Such a run has the queue, lease, steps and outbox of any other; only what the model is asked, and how its reply is
//! taken, differ.

use clifford_action::{Action, Reply, Unreadable, read, read_native, said, without_thoughts};

use clifford_markup::is_blank;

use super::step::LlmResponse;

/// The languages of a fence around a reply that is all text.
const FENCES: [&str; 4] = ["markdown", "md", "text", "plaintext"];

/// The reply as a message to the user: its text without what the model thinks aloud, and without the action or fence
/// that some models put around everything.
///
/// # Errors
/// [`Unreadable`]: it has no text.
pub fn message(response: &LlmResponse) -> Result<Reply, Unreadable> {
    let thoughtless = without_thoughts(&response.text);
    let spoken = thoughtless.trim();
    let native = || {
        let call = response.tool_calls.first()?;
        text_of(read_native(&call.name, &call.arguments).ok()?.action)
    };
    let text = if spoken.is_empty() {
        native().unwrap_or_default()
    } else {
        unwrapped(spoken)
    };
    // An action within it, or one that says nothing, is nothing to read.
    let text = said(&text)?.unwrap_or(text);
    if is_blank(&text) {
        return Err(Unreadable {
            message: "the reply is empty".to_owned(),
        });
    }
    Ok(Action::SendMessage {
        message: text.trim().to_owned(),
        file_ids: Vec::new(),
    }
    .into())
}

/// The text within an action or fence that holds the whole reply; else the reply.
fn unwrapped(spoken: &str) -> String {
    let (language, inside) = fenced(spoken).unwrap_or(("", spoken));
    let acted = (inside.starts_with('{') && inside.ends_with('}'))
        .then(|| read(inside).ok())
        .flatten()
        // JSON that somebody asked for has fields of the same names now and then, but no type.
        .filter(|reply| inside.contains(reply.action.kind()))
        .and_then(|reply| text_of(reply.action));
    match acted {
        Some(text) => text,
        None if FENCES.contains(&language.to_ascii_lowercase().as_str()) => inside.to_owned(),
        None => spoken.to_owned(),
    }
}

/// The language and the content of a fence around a whole text.
fn fenced(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let (language, inside) = inside.split_once('\n')?;
    (!inside.contains("```")).then_some((language.trim(), inside.trim()))
}

fn text_of(action: Action) -> Option<String> {
    match action {
        Action::SendMessage { message, .. } => Some(message),
        Action::Finish { output, .. } => output,
        Action::SetOutput { output, .. } => Some(output),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<String> {
        let response = LlmResponse {
            text: text.to_owned(),
            ..LlmResponse::default()
        };
        message(&response).ok().and_then(|reply| text_of(reply.action))
    }

    #[test]
    fn a_reply_is_the_text_in_it_whatever_is_around_it() {
        let cases = [
            ("Hello!", "Hello!"),
            ("  Hello!\n", "Hello!"),
            ("<think>a greeting</think>\nHello!", "Hello!"),
            ("a greeting</think>Hello!", "Hello!"),
            (r#"{"type":"send_message","message":"Hello!"}"#, "Hello!"),
            (r#"<think>x</think>{"type":"finish","output":"Hello!"}"#, "Hello!"),
            (
                "```json\n{\"type\":\"send_message\",\"message\":\"Hello!\"}\n```",
                "Hello!",
            ),
            ("```markdown\n**Hello!**\n```", "**Hello!**"),
            // Code, and JSON that was asked for, stay as they are.
            ("```rust\nfn main() {}\n```", "```rust\nfn main() {}\n```"),
            ("```md\na\n```\nb\n```sh\nc\n```", "```md\na\n```\nb\n```sh\nc\n```"),
            (r#"{"message":"a field"}"#, r#"{"message":"a field"}"#),
            (r#"{"city":"Paris"}"#, r#"{"city":"Paris"}"#),
            (
                r#"Send {"type":"send_message","message":"x"} to it."#,
                r#"Send {"type":"send_message","message":"x"} to it."#,
            ),
        ];
        for (reply, expected) in cases {
            assert_eq!(said(reply).as_deref(), Some(expected), "{reply}");
        }
        let nested = r#"{"type":"send_message","message":"{\"type\":\"send_message\",\"message\":\"Hello!\"}"}"#;
        assert_eq!(said(nested).as_deref(), Some("Hello!"));
        assert_eq!(said(r#"{"type":"tool_call","name":"compute.eval","args":{}}"#), None);
        for empty in [
            "",
            " \n",
            "<think>only this</think>",
            "<think>never closed",
            "\u{200b}",
            "```\n```",
            "[]()",
        ] {
            assert_eq!(said(empty), None, "{empty:?}");
        }
    }

    #[test]
    fn a_message_in_a_providers_own_form_is_read_where_there_is_no_text() {
        let response = LlmResponse {
            tool_calls: vec![clifford_llm_api::model::NativeToolCall {
                name: "send_message".to_owned(),
                arguments: r#"{"message":"Hello!"}"#.to_owned(),
            }],
            ..LlmResponse::default()
        };
        let reply = message(&response).expect("a message");
        assert_eq!(text_of(reply.action).as_deref(), Some("Hello!"));
    }
}
