//! Halves of characters in JSON: gateways that count in UTF-16 may end one piece of a reply with the first half of a
//! character and begin the next with the second.
//!
//! JSON can write a half (`\ud83d`), a Rust string cannot hold it. So [`readable`] puts a stand-in in its place before
//! the JSON is read, and a [`Joiner`] for each text that grows puts the halves together again. A half that stays alone
//! becomes U+FFFD.

use std::{borrow::Cow, ops::RangeInclusive};

/// The first of the characters that stand for halves: the last 2048 private ones, one for each. They only mean halves
/// in texts in which halves were found.
const STAND_INS: u32 = 0x10_F800;
const HIGH: RangeInclusive<u32> = 0xD800..=0xDBFF;
const LOW: RangeInclusive<u32> = 0xDC00..=0xDFFF;

/// JSON in which halves of characters that stand alone have stand-ins, and whether there are any. A byte order mark, which
/// some servers send, is no part of it.
pub(crate) fn readable(json: &str) -> (Cow<'_, str>, bool) {
    let json = json.trim_start_matches('\u{feff}');
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return (Cow::Borrowed(json), false);
    }
    let mut text = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let start = at + found;
        let Some(unit) = unit_at(json, start) else {
            // Another escape: its second character does not begin the next one.
            at = start
                + 1
                + json
                    .get(start + 1..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(0, char::len_utf8);
            continue;
        };
        at = start + 6;
        if HIGH.contains(&unit) && unit_at(json, at).is_some_and(|next| LOW.contains(&next)) {
            at += 6;
        } else if HIGH.contains(&unit) || LOW.contains(&unit) {
            text.push_str(json.get(copied..start).unwrap_or_default());
            text.extend(char::from_u32(STAND_INS + (unit - HIGH.start())));
            copied = at;
        }
    }
    if copied == 0 {
        return (Cow::Borrowed(json), false);
    }
    text.push_str(json.get(copied..).unwrap_or_default());
    (Cow::Owned(text), true)
}

/// The UTF-16 unit that is escaped here.
fn unit_at(json: &str, at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16)
        .ok()
        .filter(|_| !digits.starts_with('+'))
}

/// Puts halves together again, over the pieces of one text.
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    /// A first half that the last piece ended with.
    first: Option<u32>,
}

impl Joiner {
    /// The next piece. `has_halves`: of the JSON that it comes from.
    pub(crate) fn join(&mut self, piece: String, has_halves: bool) -> String {
        if piece.is_empty() || !has_halves && self.first.is_none() {
            return piece;
        }
        let mut text = String::with_capacity(piece.len());
        for character in piece.chars() {
            let unit = has_halves.then(|| half(character)).flatten();
            let waiting = self.first.take();
            match (waiting, unit) {
                (Some(first), Some(second)) if LOW.contains(&second) => {
                    let code = 0x1_0000 + ((first - HIGH.start()) << 10) + (second - LOW.start());
                    text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    continue;
                }
                (Some(_), _) => text.push(char::REPLACEMENT_CHARACTER),
                (None, _) => {}
            }
            match unit {
                Some(unit) if HIGH.contains(&unit) => self.first = Some(unit),
                Some(_) => text.push(char::REPLACEMENT_CHARACTER),
                None => text.push(character),
            }
        }
        text
    }

    /// The rest when the text is over.
    pub(crate) fn rest(&mut self) -> &'static str {
        if self.first.take().is_some() { "\u{fffd}" } else { "" }
    }
}

fn half(character: char) -> Option<u32> {
    let place = u32::from(character).checked_sub(STAND_INS)?;
    Some(HIGH.start() + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of some JSON strings, as pieces of one text.
    fn joined(pieces: &[&str]) -> String {
        let mut joiner = Joiner::default();
        let mut text = String::new();
        for piece in pieces {
            let (json, has_halves) = readable(piece);
            let piece: String = serde_json::from_str(&json).expect(&json);
            text.push_str(&joiner.join(piece, has_halves));
        }
        text + joiner.rest()
    }

    #[test]
    fn halves_are_joined_and_lone_ones_replaced() {
        let cases: [(&[&str], &str); 13] = [
            (&[r#""a\ud83d""#, r#""\ude00b""#], "a😀b"),
            (&[r#""\uD83D\uDE00""#], "😀"),
            (&[r#""\ud83d\ude00\ud83d""#, r#""\ude00""#], "😀😀"),
            (&[r#""\ud83d""#, r#""""#, r#""\ude00""#], "😀"),
            (&[r#""\ud83d""#, r#""x""#, r#""\ude00""#], "\u{fffd}x\u{fffd}"),
            (&[r#""\ud83d""#], "\u{fffd}"),
            (&[r#""\ude00\ud83d""#, r#""\ud83d\ude00""#], "\u{fffd}\u{fffd}😀"),
            (&[r#""\ud83d\ud83d""#, r#""\ude00""#], "\u{fffd}😀"),
            (&[r#""\\ud83d""#], "\\ud83d"),
            (&[r#""\\\ud83d""#, r#""\ude00""#], "\\😀"),
            (&[r#""\ud83d\u0041""#], "\u{fffd}A"),
            (&[r#""\ud83d\n""#], "\u{fffd}\n"),
            // A private character that is one.
            (&["\"\u{10ffff}\""], "\u{10ffff}"),
        ];
        for (pieces, expected) in cases {
            assert_eq!(joined(pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn a_text_is_the_same_wherever_its_units_are_cut() {
        let text = "Grüße 👩‍👩‍👧 und \u{1f600}!\u{fffd}";
        let units: Vec<u16> = text.encode_utf16().collect();
        for size in 1..=units.len() {
            let pieces: Vec<String> = units
                .chunks(size)
                .map(|units| {
                    let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
                    format!("\"{escaped}\"")
                })
                .collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(joined(&pieces), text, "cut after {size} units");
        }
    }

    #[test]
    fn what_is_no_json_is_left_to_the_reader() {
        for text in ["\\u", "\\ud8", "\"\\ud8zz\"", "\\", "{\"a\":\"\\ud83", "ä\\udé"] {
            readable(text);
        }
    }
}
