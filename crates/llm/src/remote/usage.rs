//! The tokens of a call as servers report them, as far as they can be believed: budgets are charged with them.

use clifford_llm_api::{
    model::{Completion, Request, Usage},
    tokens::estimate_usage,
};
use serde_json::Value;

/// How many times the estimate a count may be. Some tokenizers need many tokens for a text, and an image may have many.
const TIMES: u64 = 16;
/// The tokens that a server may put before a prompt besides that.
const UNSEEN_PROMPT: u64 = 200_000;
/// The tokens that a model may think besides its reply.
const UNSEEN_THOUGHT: u64 = 500_000;

/// A count; some servers write it as a float or a text. `None`: it is none.
pub(crate) fn count(value: &Value) -> Option<u64> {
    let whole = |number: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "one that is negative is left out, and a cast of one that is too large ends at the largest"
        )]
        let count = number as u64;
        (number.is_finite() && number >= 0.0).then_some(count)
    };
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => whole(text.trim().parse().ok()?),
        _ => None,
    }
}

/// The usage of a call: what was reported, if that can be, and an estimate otherwise.
pub(crate) fn believed(provider: &str, reported: Option<Usage>, request: &Request, completion: &Completion) -> Usage {
    let estimate = estimate_usage(request, completion);
    let Some(usage) = reported.filter(|usage| usage.prompt_tokens > 0) else {
        return estimate;
    };
    let can_be = |told: u64, guess: u64, unseen: u64| told <= guess.saturating_mul(TIMES).saturating_add(unseen);
    let (prompt_tokens, completion_tokens) = (usage.prompt_tokens, usage.completion_tokens);
    if !can_be(prompt_tokens, estimate.prompt_tokens, UNSEEN_PROMPT)
        || !can_be(completion_tokens, estimate.completion_tokens, UNSEEN_THOUGHT)
    {
        tracing::warn!(
            provider,
            prompt_tokens,
            completion_tokens,
            "provider reported a usage that cannot be, estimating it"
        );
        return estimate;
    }
    let cached_tokens = usage.cached_tokens.min(prompt_tokens);
    Usage {
        cached_tokens,
        cache_write_tokens: usage.cache_write_tokens.min(prompt_tokens - cached_tokens),
        ..usage
    }
}

#[cfg(test)]
mod tests {
    use clifford_llm_api::model::{Message, Role};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_count_is_read_in_every_form_that_is_one() {
        for (value, expected) in [
            (json!(12), Some(12)),
            (json!(12.0), Some(12)),
            (json!("12"), Some(12)),
            (json!(u64::MAX), Some(u64::MAX)),
            (json!(1e300), Some(u64::MAX)),
            (json!(-1), None),
            (json!(-0.5), None),
            (json!("NaN"), None),
            (json!("many"), None),
            (json!(null), None),
            (json!([1]), None),
        ] {
            assert_eq!(count(&value), expected, "{value}");
        }
    }

    #[test]
    fn what_cannot_be_is_estimated() {
        let content = "x".repeat(4_000);
        let request = Request {
            messages: vec![Message {
                role: Role::User,
                content,
            }],
            ..Request::default()
        };
        let completion = Completion {
            text: "y".repeat(400),
            ..Completion::default()
        };
        let usage = |prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens| Usage {
            prompt_tokens,
            completion_tokens,
            cached_tokens,
            cache_write_tokens,
            estimated: false,
        };
        let estimate = estimate_usage(&request, &completion);
        for (reported, expected) in [
            (Some(usage(1_100, 90, 600, 100)), usage(1_100, 90, 600, 100)),
            // An image may have more tokens than is thought, and a model may think for long.
            (Some(usage(50_000, 64_000, 0, 0)), usage(50_000, 64_000, 0, 0)),
            (Some(usage(1_000, 0, 1_000_000, 7)), usage(1_000, 0, 1_000, 0)),
            (Some(usage(1_000, 0, 600, 1_000_000)), usage(1_000, 0, 600, 400)),
            (Some(usage(u64::MAX, 1, 0, 0)), estimate),
            (Some(usage(1_000_000_000, 1, 0, 0)), estimate),
            (Some(usage(1_000, u64::MAX, 0, 0)), estimate),
            (Some(usage(0, 5, 0, 0)), estimate),
            (None, estimate),
        ] {
            assert_eq!(
                believed("main", reported, &request, &completion),
                expected,
                "{reported:?}"
            );
        }
    }
}
