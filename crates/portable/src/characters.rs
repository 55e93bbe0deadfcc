//! Exports of JSON whose texts have halves of characters: programs that count in UTF-16 cut texts in the middle of one, so
//! one message would end an import. `clifford_action` mends them. A byte order mark, which editors put in front, is left
//! out.

use std::{
    borrow::Cow,
    io::{self, Read},
};

use clifford_action::{Mender, without_halves};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// A text of JSON without halves.
pub fn whole(json: &str) -> Cow<'_, str> {
    without_halves(json.trim_start_matches('\u{feff}'))
}

/// Reads JSON without halves.
pub struct Whole<R> {
    inner: R,
    mender: Mender,
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
            mender: Mender::default(),
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
            self.mender.finish(&mut self.ready);
            return Ok(!self.ready.is_empty());
        }
        let begins = !std::mem::replace(&mut self.is_begun, true);
        let text = piece.strip_prefix(MARK).filter(|_| begins);
        self.mender.feed(text.unwrap_or(&piece), &mut self.ready);
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
