//! Tokens by rule of thumb: how many a text has at most, about. Four letters of the Latin alphabet share a token; a
//! letter of another script has half of one or one of its own, as most tokenizers have it.
//!
//! Prompts are made to fit by this scale, refusals are read by it, and calls are charged by it where a provider reports
//! no usage.

use crate::model::{Completion, Request, Usage};

/// As many tokens as an image may have with most providers.
pub const IMAGE_TOKENS: u64 = 1_600;

/// Quarters of a token: the weights of parts add up to the weight of the whole.
pub type Quarters = u64;

/// How many bytes are looked at together.
const PIECE: usize = 128;

/// The weight of a text.
#[must_use]
pub fn weigh(text: &str) -> Quarters {
    weigh_bytes(text.as_bytes())
}

/// The weight of a piece of UTF-8, wherever it was cut.
#[must_use]
pub fn weigh_bytes(bytes: &[u8]) -> Quarters {
    // Most pieces are ASCII throughout, which is told many bytes at a time.
    let piece = |piece: &[u8]| match piece.is_ascii() {
        true => piece.len() as u64,
        false => piece.iter().map(|byte| of_byte(*byte)).sum(),
    };
    bytes.chunks(PIECE).map(piece).sum()
}

/// Whole tokens.
#[must_use]
pub const fn whole_tokens(quarters: Quarters) -> u64 {
    quarters.div_ceil(4)
}

/// The weight of a byte of UTF-8: its character's stands with the first of them.
const fn of_byte(byte: u8) -> Quarters {
    match byte {
        0x00..=0x7F => 1,
        0x80..=0xBF => 0,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 4,
        0xF0..=0xFF => 8,
    }
}

/// About how many tokens a text has.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    whole_tokens(weigh(text))
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
pub fn estimate_usage(request: &Request, completion: &Completion) -> Usage {
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
    use super::*;
    use crate::model::{Message, Role};

    #[test]
    fn letters_of_other_scripts_weigh_more() {
        assert_eq!(
            ["", "a", "abcd", "abcde", "äöüß", "Привет", "你好", "🙂"].map(estimate_tokens),
            [0, 1, 1, 2, 2, 3, 2, 2]
        );
    }

    #[test]
    fn a_text_weighs_what_its_bytes_do_wherever_they_stand() {
        let unit = format!("{}é你🙂", "a".repeat(PIECE - 1));
        for begin in [0, 1, 5, PIECE] {
            let text = format!("{}{}", "b".repeat(begin), unit.repeat(3));
            let by_byte: Quarters = text.bytes().map(of_byte).sum();
            assert_eq!(weigh(&text), by_byte, "after {begin}");
        }
    }

    #[test]
    fn a_request_is_weighed_as_its_texts_are() {
        let request = Request {
            messages: vec![Message {
                role: Role::User,
                content: "你".repeat(12_907),
            }],
            ..Request::default()
        };
        assert_eq!(estimate_request(&request), 12_907);
    }
}
