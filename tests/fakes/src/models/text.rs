//! Text in the pieces of a stream, and how many tokens it has.

use std::fmt::Write as _;

use super::reply::{Answer, CHUNK};

/// UTF-16 units in one chunk where they are cut without regard to characters.
const UNITS: usize = 3;
/// Where halves of characters stand until the JSON is written: private characters that no test says.
const HALVES: u32 = 0x10_F000;

/// The text in pieces, cut as the answer wants it.
pub(crate) fn delta_texts(answer: &Answer, text: &str) -> Vec<String> {
    if !answer.splits_surrogates {
        return pieces_of(text, answer.piece).into_iter().map(str::to_owned).collect();
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let half = |unit: u16| char::from_u32(HALVES + u32::from(unit - 0xD800)).unwrap_or_default();
    let piece = |units: &[u16]| {
        let characters = char::decode_utf16(units.iter().copied());
        characters
            .map(|decoded| decoded.unwrap_or_else(|lone| half(lone.unpaired_surrogate())))
            .collect()
    };
    units.chunks(UNITS).map(piece).collect()
}

/// JSON in which halves of characters are written as such: `\ud83d`.
pub(crate) fn with_halves(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match u32::from(character).checked_sub(HALVES).filter(|place| *place < 0x800) {
            Some(place) => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", 0xD800 + place);
            }
            None => text.push(character),
        }
    }
    text
}

/// Tokens by rule of thumb, so that a test can know them beforehand: characters by four, rounded up.
pub(crate) fn tokens(characters: usize) -> u64 {
    characters.div_ceil(4) as u64
}

/// Cuts text into pieces of [`CHUNK`] characters.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    pieces_of(text, CHUNK)
}

/// Cuts text into pieces of so many characters.
fn pieces_of(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(index, _)| index);
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}
