//! An answer in another form, for a chat that refuses the one it was made in: a text as a file, which escapes rules about
//! texts, and a file as texts, for a chat that takes no files.

use clifford_chat::outbound::{Limits, Part};
use clifford_store::messages::outbox::OutgoingPart;

use super::Held;
use crate::{outbound::ANSWER_FILE, rendering::rendered};

/// The most texts in place of a file.
const MOST: usize = 20;

/// Puts another form of a message's next part in its place; `false`: there is none, or it is that already.
pub(super) fn reshape(held: &mut Held, part: &OutgoingPart, limits: &Limits) -> bool {
    if held.reshaped == Some(part.seq) {
        return false;
    }
    let shapes = match &part.body.0 {
        Part::Text { plain, .. } if !plain.is_empty() => vec![as_file(plain)],
        Part::File { name, content, .. } if name == ANSWER_FILE => as_texts(content, limits),
        Part::Text { .. } | Part::File { .. } | Part::Stored { .. } => Vec::new(),
    };
    if shapes.is_empty() {
        return false;
    }
    held.reshaped = Some(part.seq);
    let pieces = shapes.into_iter().enumerate().map(|(place, shape)| OutgoingPart {
        seq: part.seq,
        key: piece_key(&part.key, place),
        body: clifford_core::json_text::JsonText(shape),
        status: part.status,
    });
    drop(held.parts.splice(..1, pieces));
    true
}

fn as_file(text: &str) -> Part {
    Part::File {
        name: ANSWER_FILE.to_owned(),
        content: text.to_owned(),
        caption: String::new(),
        markup: None,
    }
}

/// The beginning of an answer that is too long for a message, in several.
fn as_texts(content: &str, limits: &Limits) -> Vec<Part> {
    let mut texts = rendered(content, limits);
    if texts.len() > MOST {
        texts.truncate(MOST);
        if let Some(Part::Text { text, plain, .. }) = texts.last_mut() {
            for text in [text, plain] {
                "…".clone_into(text);
            }
        }
    }
    texts
}

/// The key of a piece: that of its part, and a letter where there are several.
fn piece_key(key: &str, place: usize) -> String {
    match u8::try_from(place) {
        Ok(place @ 1..=25) => format!("{key}{}", char::from(b'a' + place)),
        _ => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_becomes_texts_within_the_limit_and_no_more_than_anybody_reads() {
        let limits = Limits {
            text_units: 100,
            ..Limits::default()
        };
        let count = |words: usize| {
            let texts = as_texts(&"word ".repeat(words), &limits);
            let fit = texts.iter().all(|part| match part {
                Part::Text { text, .. } => text.encode_utf16().count() <= 100,
                _ => false,
            });
            assert!(fit, "{texts:?}");
            (
                texts.len(),
                matches!(texts.last(), Some(Part::Text { text, .. }) if text == "…"),
            )
        };
        assert_eq!(count(30), (2, false));
        assert_eq!(count(10_000), (MOST, true));
    }

    #[test]
    fn pieces_have_keys_of_their_own_that_are_short_enough() {
        let keys: Vec<_> = (0..MOST).map(|place| piece_key(&"k".repeat(24), place)).collect();
        assert_eq!(
            (keys[0].len(), keys[1].as_str()),
            (24, format!("{}b", "k".repeat(24)).as_str())
        );
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert!(distinct.len() == MOST && keys.iter().all(|key| key.len() <= 25));
    }
}
