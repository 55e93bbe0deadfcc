//! Halves of characters: programs that count in UTF-16 cut texts in the middle of one, and models write one now and
//! then. JSON can hold it (`\ud83d`), and a Rust string cannot. A half without its partner becomes U+FFFD.

use std::borrow::Cow;

const REPLACEMENT: &[u8] = b"\\ufffd";

/// The text with U+FFFD in the place of each escaped half that has no partner: `\ud83d` alone.
#[must_use]
pub fn without_halves(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let (mut mender, mut whole) = (Mender::default(), Vec::with_capacity(text.len()));
    mender.feed(text.as_bytes(), &mut whole);
    mender.finish(&mut whole);
    Cow::Owned(String::from_utf8_lossy(&whole).into_owned())
}

/// Mends JSON that comes in pieces, wherever these end.
#[derive(Debug, Default)]
pub struct Mender {
    state: State,
    /// The digits of a first half that waits for its second.
    first: Option<[u8; 4]>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Text,
    Escape,
    /// Behind `\u`: its digits, and how many there are.
    Digits([u8; 4], usize),
}

impl Mender {
    /// Takes a piece, and appends what is sure of it.
    pub fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        for &byte in piece {
            self.state = match (self.state, byte) {
                (State::Text, b'\\') => State::Escape,
                (State::Escape, b'u') => State::Digits([0; 4], 0),
                (State::Digits(digits, known), _) if byte.is_ascii_hexdigit() => self.digit(digits, known, byte, out),
                (state, _) => {
                    self.unread(state, out);
                    // A beginning of an escape that is none may stand before one.
                    if matches!(state, State::Digits(..)) && byte == b'\\' {
                        State::Escape
                    } else {
                        out.push(byte);
                        State::Text
                    }
                }
            };
        }
    }

    fn digit(&mut self, mut digits: [u8; 4], known: usize, byte: u8, out: &mut Vec<u8>) -> State {
        if let Some(digit) = digits.get_mut(known) {
            *digit = byte;
        }
        if known < 3 {
            return State::Digits(digits, known + 1);
        }
        let text = std::str::from_utf8(&digits).unwrap_or_default();
        let unit = u32::from_str_radix(text, 16).unwrap_or_default();
        match (self.first.take(), unit) {
            (Some(first), 0xDC00..0xE000) => [first, digits].iter().for_each(|half| escaped(half, out)),
            (first, unit) => {
                out.extend(first.map(|_| REPLACEMENT).unwrap_or_default());
                match unit {
                    0xD800..0xDC00 => self.first = Some(digits),
                    0xDC00..0xE000 => out.extend(REPLACEMENT),
                    _ => escaped(&digits, out),
                }
            }
        }
        State::Text
    }

    /// Writes what was read as the beginning of something that it is not.
    fn unread(&mut self, state: State, out: &mut Vec<u8>) {
        if self.first.take().is_some() {
            out.extend(REPLACEMENT);
        }
        match state {
            State::Text => {}
            State::Escape => out.push(b'\\'),
            State::Digits(digits, known) => {
                out.extend(b"\\u");
                out.extend(digits.iter().take(known));
            }
        }
    }

    /// Appends what was held back for a piece that does not come.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let state = std::mem::take(&mut self.state);
        self.unread(state, out);
    }
}

fn escaped(digits: &[u8; 4], out: &mut Vec<u8>) {
    out.extend(b"\\u");
    out.extend(digits);
}

#[cfg(test)]
mod tests {
    use super::without_halves;
    use crate::{Action, read, read_native};

    #[test]
    fn only_halves_without_a_partner_are_replaced() {
        for (text, expected) in [
            (r"a\ud83d", r"a\ufffd"),
            (r"\ud83d\ude00", r"\ud83d\ude00"),
            (r"\\ud83d", r"\\ud83d"),
            (r"\\\ud83dx", r"\\\ufffdx"),
            (r"\ude00\ud83d\ud83d\ude00", r"\ufffd\ufffd\ud83d\ude00"),
            (r"\uD83D\uDE00", r"\uD83D\uDE00"),
            (r"\ud83d\n", r"\ufffd\n"),
            (r"\ud83d\u0041ä", r"\ufffd\u0041ä"),
            (r"\ud8\ude00", r"\ud8\ufffd"),
            (r"\ud8", r"\ud8"),
            (r"\ud83d\", r"\ufffd\"),
            (r"\", r"\"),
        ] {
            assert_eq!(without_halves(text), expected, "{text}");
        }
    }

    #[test]
    fn a_reply_with_half_a_character_is_read() {
        let message = |action| match action {
            Action::SendMessage { message, .. } => message,
            other => panic!("{other:?}"),
        };
        let reply = read(r#"{"type":"send_message","message":"hi \ud83d!"}"#).expect("a reply");
        assert_eq!(message(reply.action), "hi \u{fffd}!");
        let reply = read_native("send_message", r#"{"message":"hi \ude00 \ud83d\ude00"}"#).expect("a reply");
        assert_eq!(message(reply.action), "hi \u{fffd} \u{1f600}");
    }
}
