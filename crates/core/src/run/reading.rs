//! How a model's reply becomes an action: in a provider's own form or as text, with nothing nested in its text. Pure.

use clifford_action::{Action, Further, Reply, Unreadable, flattened, read, read_native};

use clifford_markup::is_blank;

use super::step::LlmResponse;

/// The action of a reply.
///
/// # Errors
/// [`Unreadable`] says to the model what is wrong with it.
pub fn reply(response: &LlmResponse) -> Result<Reply, Unreadable> {
    let mut calls = response.tool_calls.iter();
    let reply = match calls.next() {
        Some(call) => read_native(&call.name, &call.arguments),
        None => read(&response.text),
    };
    let mut reply = reply.and_then(flattened)?;
    if let Action::SendMessage { message, .. } = &reply.action
        && is_blank(message)
    {
        return Err(unseen());
    }
    if let Action::ToolCall { then, .. } = &mut reply.action {
        // A provider's own form has several calls side by side.
        let further = calls.map_while(|call| read_native(&call.name, &call.arguments).ok());
        then.extend(further.map_while(|reply| match reply.action {
            Action::ToolCall { name, args, .. } => Some(Further { name, args }),
            _ => None,
        }));
    }
    Ok(reply)
}

/// What is wrong with a message of which the person would see nothing, such as an empty fence: no platform takes it.
fn unseen() -> Unreadable {
    Unreadable {
        message: "send_message: nothing of `message` can be seen once it is shown: write words".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clifford_llm_api::model::NativeToolCall;
    use serde_json::json;

    use super::*;

    fn native(calls: &[(&str, &str)]) -> LlmResponse {
        let calls = calls.iter().map(|(name, arguments)| NativeToolCall {
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        });
        LlmResponse {
            tool_calls: calls.collect(),
            ..LlmResponse::default()
        }
    }

    #[test]
    fn a_message_of_which_nothing_can_be_seen_is_as_a_blank_one() {
        for text in ["\u{200b}\u{2060}", "```\n```", "[]()", "**\u{feff}**", "> ", "\u{3164}"] {
            let said = LlmResponse {
                text: json!({"type": "send_message", "message": text}).to_string(),
                ..LlmResponse::default()
            };
            assert_eq!(reply(&said), Err(unseen()), "{text:?}");
        }
    }

    #[test]
    fn calls_side_by_side_are_one_reply_up_to_the_first_that_is_none() {
        let (tea, milk) = (("shop__buy", r#"{"what":"tea"}"#), ("shop__buy", r#"{"what":"milk"}"#));
        let finish = ("finish", r#"{"output":"done"}"#);
        let bought = |what: &str| json!({"name": "shop.buy", "args": {"what": what}});
        let call = |then: serde_json::Value| json!({"type": "tool_call", "name": "shop.buy", "args": {"what": "tea"}, "then": then});
        let cases = [
            (native(&[tea, milk]), call(json!([bought("milk")]))),
            (native(&[tea, milk, finish, milk]), call(json!([bought("milk")]))),
            (
                native(&[tea, ("shop__buy", "{"), milk]),
                json!({"type": "tool_call", "name": "shop.buy", "args": {"what": "tea"}}),
            ),
            (
                native(&[finish, tea]),
                json!({"type": "finish", "output": "done", "mode": "replace"}),
            ),
        ];
        for (response, expected) in cases {
            assert_eq!(reply(&response).unwrap().to_value(), expected);
        }
    }
}
