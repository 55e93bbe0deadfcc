//! Server-sent events: bytes in, the `data` of each event out.
//!
//! Written here because it must take linear time for pieces of any size, and because a reply must never be asked for
//! again by a reader that reconnects. Fields other than `data` mean nothing to these servers.

/// Puts events together from pieces that may be cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    buffer: Vec<u8>,
    /// Where the next line starts.
    line: usize,
    /// How far the next line has been searched for its end.
    searched: usize,
    data: Option<String>,
}

impl Decoder {
    /// Takes the next piece of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.line);
        self.searched -= self.line;
        self.line = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next event that is complete.
    pub(crate) fn next(&mut self) -> Option<String> {
        while let Some(length) = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
            let end = self.searched + length;
            let line = String::from_utf8_lossy(&self.buffer[self.line..end]).into_owned();
            self.line = end + 1;
            self.searched = self.line;
            if let Some(event) = self.take(line.trim_end_matches('\r')) {
                return Some(event);
            }
        }
        self.searched = self.buffer.len();
        None
    }

    /// The event that lacks only its end: some servers leave the last blank line out.
    pub(crate) fn rest(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&self.buffer[self.line..]).into_owned();
        self.buffer.clear();
        self.line = 0;
        self.searched = 0;
        self.take(line.trim_end_matches('\r')).or_else(|| self.data.take())
    }

    /// Takes one line; a blank one ends an event.
    fn take(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            return self.data.take();
        }
        if let Some(value) = line.trim_start_matches('\u{feff}').strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Decoder;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        for piece in pieces {
            decoder.push(piece);
            events.extend(std::iter::from_fn(|| decoder.next()));
        }
        events.extend(decoder.rest());
        events
    }

    #[test]
    fn events_are_the_same_wherever_the_stream_is_cut() {
        let stream =
            "\u{feff}data: a\n\n: comment\r\nevent: x\r\ndata:b\r\ndata: \u{e4}\r\n\r\nid: 1\n\ndata: end".as_bytes();
        let whole = vec!["a".to_owned(), "b\n\u{e4}".to_owned(), "end".to_owned()];
        assert_eq!(events(&[stream]), whole);
        for cut in 1..stream.len() {
            assert_eq!(events(&[&stream[..cut], &stream[cut..]]), whole, "cut at {cut}");
        }
        assert_eq!(events(&stream.chunks(1).collect::<Vec<_>>()), whole);
    }

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        assert_eq!(events(&[b"data: \xff\n\n"]), ["\u{fffd}"]);
    }

    #[test]
    fn a_stream_without_data_has_no_events() {
        assert_eq!(events(&[b"<html>\n\nevent: x\n\n"]), Vec::<String>::new());
    }
}
