//! Tokens by rule of thumb, for providers that do not tell.

use crate::{Completion, Request, Usage};

/// As many tokens as an image may have with most providers.
pub const IMAGE_TOKENS: u64 = 1_600;

/// About how many tokens a text has: a quarter of its characters, rounded up.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(4) as u64
}

/// About how many tokens a request has as it is sent: its messages, its images, and the form that the reply is held to.
#[must_use]
pub fn estimate_request(request: &Request) -> u64 {
    let messages = request.messages.iter();
    let said: u64 = messages.map(|message| estimate_tokens(&message.content)).sum();
    let schema = request.schema.as_ref();
    said + request.images.len() as u64 * IMAGE_TOKENS + schema.map_or(0, |schema| estimate_tokens(schema.text().get()))
}

/// About what a call cost, marked as a guess.
pub(crate) fn estimate_usage(request: &Request, completion: &Completion) -> Usage {
    let calls = completion.tool_calls.iter();
    Usage {
        prompt_tokens: estimate_request(request),
        completion_tokens: estimate_tokens(&completion.text)
            + calls
                .map(|call| estimate_tokens(&call.name) + estimate_tokens(&call.arguments))
                .sum::<u64>(),
        cached_tokens: 0,
        cache_write_tokens: 0,
        estimated: true,
    }
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn four_characters_are_a_token_and_a_rest_is_one_more() {
        assert_eq!(["", "a", "abcd", "abcde", "äöüß"].map(estimate_tokens), [0, 1, 1, 2, 1]);
    }
}
