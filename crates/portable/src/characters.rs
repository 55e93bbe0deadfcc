//! JSON whose texts have halves of characters: programs that count in UTF-16 cut texts in the middle of one, and JSON can
//! write the half (`\ud83d`). A Rust string cannot hold it, so one message would end an import. A half becomes U+FFFD. A
//! byte order mark, which editors put in front, is left out.

use std::{
    borrow::Cow,
    io::{self, Read},
};

const MARK: &[u8] = b"\xef\xbb\xbf";
const REPLACEMENT: &[u8] = b"\\ufffd";

/// A text of JSON without halves.
pub fn whole(json: &str) -> Cow<'_, str> {
    let json = json.trim_start_matches('\u{feff}');
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return Cow::Borrowed(json);
    }
    let (mut escapes, mut text) = (Escapes::default(), Vec::with_capacity(json.len()));
    escapes.feed(json.as_bytes(), &mut text);
    escapes.finish(&mut text);
    Cow::Owned(String::from_utf8_lossy(&text).into_owned())
}

/// Reads JSON without halves.
pub struct Whole<R> {
    inner: R,
    escapes: Escapes,
    /// The file has begun.
    is_begun: bool,
    /// The bytes that are ready to be read, and how many of them have been.
    ready: Vec<u8>,
    taken: usize,
}

impl<R: Read> Whole<R> {
    /// Reads from there.
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            escapes: Escapes::default(),
            is_begun: false,
            ready: Vec::new(),
            taken: 0,
        }
    }

    /// Reads more, and returns whether there was any.
    fn fill(&mut self) -> io::Result<bool> {
        let mut piece = Vec::with_capacity(16 * 1024);
        let most = piece.capacity() as u64;
        self.inner.by_ref().take(most).read_to_end(&mut piece)?;
        self.ready.clear();
        self.taken = 0;
        if piece.is_empty() {
            self.escapes.finish(&mut self.ready);
            return Ok(!self.ready.is_empty());
        }
        let begins = !std::mem::replace(&mut self.is_begun, true);
        let text = piece.strip_prefix(MARK).filter(|_| begins);
        self.escapes.feed(text.unwrap_or(&piece), &mut self.ready);
        Ok(true)
    }
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken >= self.ready.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let read = self.ready.get(self.taken..).unwrap_or_default().read(buffer)?;
        self.taken += read;
        Ok(read)
    }
}

/// The escapes of JSON that comes in pieces.
#[derive(Default)]
struct Escapes {
    state: State,
    /// The digits of a first half that waits for its second.
    first: Option<[u8; 4]>,
}

#[derive(Clone, Copy, Default)]
enum State {
    #[default]
    Text,
    Escape,
    /// Behind `\u`: its digits, and how many there are.
    Digits([u8; 4], usize),
}

impl Escapes {
    fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        for &byte in piece {
            self.state = match (self.state, byte) {
                (State::Text, b'\\') => State::Escape,
                (State::Escape, b'u') => State::Digits([0; 4], 0),
                (State::Digits(digits, known), _) if byte.is_ascii_hexdigit() => self.digit(digits, known, byte, out),
                (state, _) => {
                    self.unread(state, out);
                    // What begins an escape and is none may stand before one.
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

    fn finish(&mut self, out: &mut Vec<u8>) {
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
    use super::*;

    const CASES: [(&str, &str); 12] = [
        ("\u{feff}{}", "{}"),
        (r#"{"a":"b\"\\"}"#, r#"{"a":"b\"\\"}"#),
        (r"a\ud83d", r"a\ufffd"),
        (r"\ud83dx", r"\ufffdx"),
        (r"\ud83d\n", r"\ufffd\n"),
        (r"\uD83D\uDE00", r"\uD83D\uDE00"),
        (r"\\ud83d", r"\\ud83d"),
        (r"\\\ud83dx", r"\\\ufffdx"),
        (r"\ude00\ud83d\ud83d\ude00", r"\ufffd\ufffd\ud83d\ude00"),
        (r"\ud83d\u0041ä", r"\ufffd\u0041ä"),
        (r"\ud8\ude00", r"\ud8\ufffd"),
        (r"\ud83d\", r"\ufffd\"),
    ];

    #[test]
    fn only_halves_without_a_partner_are_replaced() {
        for (text, expected) in CASES {
            assert_eq!(whole(text), expected, "{text}");
        }
    }

    /// Gives its text byte by byte.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let few = buffer.len().min(1);
            self.0.read(buffer.get_mut(..few).unwrap_or_default())
        }
    }

    #[test]
    fn a_file_is_read_the_same_wherever_its_pieces_end() {
        for (text, expected) in CASES {
            // A piece ends within what is looked at.
            for before in 16_370..16_390 {
                let filler = "x".repeat(before);
                let text = format!("{filler}{}", text.trim_start_matches('\u{feff}'));
                let mut read = String::new();
                Whole::new(text.as_bytes()).read_to_string(&mut read).expect("a text");
                assert_eq!(read, format!("{filler}{expected}"), "{text}");
            }
            let mut read = String::new();
            Whole::new(Slow(text.as_bytes()))
                .read_to_string(&mut read)
                .expect("a text");
            assert_eq!(read, expected, "{text}");
        }
    }
}
