//! How a model's reply becomes an action: in a provider's own form or as text, with nothing nested in its text. Pure.

use clifford_action::{Action, Further, Reply, Unreadable, flattened, read, read_native};

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
