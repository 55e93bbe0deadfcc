//! Makes other requests than a run's fit their model: the memory writer's, and those of tools. Pure.

use clifford_llm_api::{
    model::Request,
    tokens::{Quarters, weigh},
};
use serde_json::Value;

use super::{
    excerpt,
    room::{Room, SMALLEST, Window},
    weight::Form,
};

/// The overhead of a message besides its text.
const AROUND: Quarters = 4 * 4;

/// Cuts the longest message of a request that is too long, with marks; what is JSON stays JSON. A form that has no room
/// is left out.
pub fn fit(request: &mut Request, window: Window) {
    let room = Room::new(window, request.schema.as_ref(), 0);
    if room.schema == 0 {
        request.schema = None;
    }
    let images = request.images.len() as u64 * clifford_llm_api::tokens::IMAGE_TOKENS * 4;
    let room = room.all.saturating_sub(images);
    let weights: Vec<_> = request
        .messages
        .iter()
        .map(|message| weigh(&message.content) + AROUND)
        .collect();
    let sum: Quarters = weights.iter().sum();
    let longest = (request.messages.iter_mut().zip(&weights)).max_by_key(|(_, weight)| **weight);
    if let Some((message, weight)) = longest.filter(|_| sum > room) {
        let most = room.saturating_sub(sum - weight + AROUND);
        message.content = match serde_json::from_str::<Value>(&message.content) {
            Ok(value @ Value::Object(_)) => excerpt::value(&value, most).to_string(),
            _ => excerpt::text(&message.content, most, Form::Plain, None).into_owned(),
        };
    }
}

/// How much may be said at once to a model that holds so much, where the instructions take the usual.
pub fn at_once(window: Window) -> Quarters {
    Room::new(window, None, 0).all / 2
}

/// A reply that may be longer than what the prompt leaves of the window is held to that.
pub fn leave_room(request: &mut Request, window: Window, tokens: u64) {
    let Some(longest) = request.max_tokens.or(window.reply) else {
        return;
    };
    let left = u32::try_from(window.tokens.max(SMALLEST).saturating_sub(tokens)).unwrap_or(u32::MAX);
    if longest > left {
        request.max_tokens = Some(left.max(1));
    }
}

/// The window for the next prompt after the model refused one as too long: the known window, else less than was sent.
/// `None`: less makes no difference.
pub fn shorter(window: u64, sent: u64, known: u64, times: u32) -> Option<u64> {
    // It may be counted differently there.
    let sent = sent.min(window);
    let less = if times == 0 { sent / 4 * 3 } else { sent / 2 };
    let next = if known < window { known } else { less };
    (next.max(SMALLEST) < window).then_some(next)
}

#[cfg(test)]
mod tests {
    use clifford_llm_api::model::{Message, Role};
    use serde_json::json;

    use super::*;

    #[test]
    fn the_longest_message_is_cut_and_stays_json() {
        let said: Vec<_> = (0..400)
            .map(|n| json!({ "from": "person", "text": format!("This is message {n}. ") }))
            .collect();
        let message = |role, content: String| Message { role, content };
        let mut request = Request {
            messages: vec![
                message(Role::System, "Keep it. ".repeat(50)),
                message(Role::User, json!({ "known": [], "messages": said }).to_string()),
            ],
            ..Request::default()
        };
        let whole = request.clone();
        let window = |tokens| Window { tokens, reply: None };
        fit(&mut request, window(128_000));
        assert_eq!(request, whole);
        fit(&mut request, window(4_096));
        assert_eq!(request.messages[0], whole.messages[0]);
        let shown: Value = serde_json::from_str(&request.messages[1].content).expect("JSON");
        let messages = shown["messages"].as_array().expect("a list");
        assert_eq!((&messages[0], messages.last()), (&said[0], said.last()));
        assert!(weigh(&request.messages[1].content) < 3_500 * 4);
    }

    #[test]
    fn a_prompt_that_was_refused_is_made_shorter_by_what_is_known_else_by_what_was_sent() {
        assert_eq!(shorter(32_000, 20_000, 8_192, 0), Some(8_192));
        // The window was known, and what was sent was counted as more there.
        assert_eq!(shorter(8_192, 8_000, 8_192, 0), Some(6_000));
        assert_eq!(shorter(6_000, 5_900, 8_192, 1), Some(2_950));
        assert_eq!(shorter(2_048, 2_000, 8_192, 1), None);
    }

    #[test]
    fn a_reply_is_held_to_what_the_prompt_leaves() {
        let most = |max_tokens, reply| {
            let mut request = Request {
                max_tokens,
                ..Request::default()
            };
            leave_room(&mut request, Window { tokens: 8_000, reply }, 6_000);
            request.max_tokens
        };
        assert_eq!(most(None, None), None);
        assert_eq!(most(Some(500), None), Some(500));
        assert_eq!(most(Some(4_096), None), Some(2_000));
        assert_eq!(most(None, Some(8_192)), Some(2_000));
        assert_eq!(most(None, Some(1_000)), None);
    }
}
