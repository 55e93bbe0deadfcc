//! How a model's reply becomes an action: in a provider's own form or as text, with nothing nested in what it says. Pure.

use clifford_action::{Reply, Unreadable, flattened, read, read_native};

use super::step::LlmResponse;

/// The action of a reply.
///
/// # Errors
/// [`Unreadable`] says to the model what is wrong with it.
pub fn reply(response: &LlmResponse) -> Result<Reply, Unreadable> {
    let reply = match response.tool_calls.first() {
        Some(call) => read_native(&call.name, &call.arguments),
        None => read(&response.text),
    };
    reply.and_then(flattened)
}
