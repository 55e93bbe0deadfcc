//! Server-sent events: bytes in, the `data` of each event out.
//!
//! Written here because it must take linear time for pieces of any size, and because a reply must never be asked for
//! again by a reader that reconnects. Fields other than `data` mean nothing to these servers. Some servers and proxies
//! call a whole reply a stream, or a stream JSON: what a body is shows in how it begins.

/// The last event of a stream, where servers send one.
pub(crate) const DONE: &str = "[DONE]";

/// Puts events together from pieces that may be cut anywhere.
#[derive(Debug)]
pub(crate) struct Decoder {
    buffer: Vec<u8>,
    /// Where the next line starts.
    line: usize,
    /// How far the next line has been searched for its end.
    searched: usize,
    /// The last line ended with a carriage return: a line feed behind it ends none.
    is_returned: bool,
    data: Option<String>,
    /// The whole reply that came in place of events. `None`, once there was an event.
    whole: Option<String>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            buffer: Vec::new(),
            line: 0,
            searched: 0,
            is_returned: false,
            data: None,
            whole: Some(String::new()),
        }
    }
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
        loop {
            self.pass_line_feed();
            let ends = |byte: &u8| matches!(byte, b'\n' | b'\r');
            let Some(length) = self.buffer[self.searched..].iter().position(ends) else {
                self.searched = self.buffer.len();
                return None;
            };
            let end = self.searched + length;
            let line = String::from_utf8_lossy(&self.buffer[self.line..end]).into_owned();
            self.is_returned = self.buffer[end] == b'\r';
            self.line = end + 1;
            self.searched = self.line;
            if let Some(event) = self.take(&line) {
                return Some(event);
            }
        }
    }

    /// Passes over the line feed that belongs to the end of the last line.
    fn pass_line_feed(&mut self) {
        if self.is_returned
            && let Some(next) = self.buffer.get(self.line)
        {
            self.line += usize::from(*next == b'\n');
            self.searched = self.searched.max(self.line);
            self.is_returned = false;
        }
    }

    /// The event that lacks only its end, since some servers leave the last blank line out; or else the whole reply
    /// that came in the place of events.
    pub(crate) fn rest(&mut self) -> Option<String> {
        self.pass_line_feed();
        let line = String::from_utf8_lossy(&self.buffer[self.line..]).into_owned();
        self.buffer.clear();
        self.line = 0;
        self.searched = 0;
        self.take(&line)
            .or_else(|| self.event())
            .or_else(|| self.whole.take().filter(|whole| !whole.is_empty()))
    }

    /// The event that has come together. One without data only keeps the connection open.
    fn event(&mut self) -> Option<String> {
        self.data.take().filter(|data| !data.trim().is_empty())
    }

    /// Takes one line; a blank one ends an event.
    fn take(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            return self.event();
        }
        let line = line.trim_start_matches('\u{feff}');
        if let Some(value) = line.strip_prefix("data:") {
            self.whole = None;
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        } else if let Some(whole) = &mut self.whole
            && (!whole.is_empty() || line.trim_start().starts_with('{'))
        {
            whole.push_str(line);
            whole.push('\n');
        }
        None
    }
}

/// The events of a body that has come as a whole; a body that is no stream is one by itself.
pub(crate) fn events_of(body: &str) -> Vec<String> {
    let begin = body.trim_start();
    if !["data:", "event:", "id:", "retry:", ":"]
        .iter()
        .any(|field| begin.starts_with(field))
    {
        return vec![body.to_owned()];
    }
    let mut decoder = Decoder::default();
    decoder.push(body.as_bytes());
    let mut events: Vec<String> = std::iter::from_fn(|| decoder.next()).collect();
    events.extend(decoder.rest());
    events
}

#[cfg(test)]
mod tests {
    use super::{Decoder, events_of};

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
    fn a_line_ends_with_a_carriage_return_too() {
        let stream = b"data: a\rdata: b\r\r: comment\r\rdata: c\r\r\ndata: d\n\rdata: e\r";
        let whole = ["a\nb", "c", "d", "e"];
        for cut in 0..stream.len() {
            assert_eq!(events(&[&stream[..cut], &stream[cut..]]), whole, "cut at {cut}");
        }
        assert_eq!(events(&stream.chunks(1).collect::<Vec<_>>()), whole);
    }

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        assert_eq!(events(&[b"data: \xff\n\n"]), ["\u{fffd}"]);
    }

    #[test]
    fn an_event_without_data_is_none() {
        assert_eq!(events(&[b"data:\n\ndata: \n\ndata: a\n\ndata:"]), ["a"]);
    }

    #[test]
    fn a_whole_reply_in_the_place_of_a_stream_is_its_only_event() {
        let reply = "\u{feff}{\n  \"a\": 1,\n\n  \"b\": \"\u{e4}\"\n}".as_bytes();
        let whole = ["{\n  \"a\": 1,\n  \"b\": \"\u{e4}\"\n}\n".to_owned()];
        for cut in 0..reply.len() {
            assert_eq!(events(&[&reply[..cut], &reply[cut..]]), whole, "cut at {cut}");
        }
        // Other lines among events are none.
        assert_eq!(events(&[b"{\"a\":1}\n\ndata: b\n\n{\"c\":1}"]), ["b"]);
    }

    #[test]
    fn a_body_is_a_stream_if_it_begins_as_one() {
        for (body, expected) in [
            ("data: a\n\ndata: b\n\n", vec!["a", "b"]),
            ("\n: comment\n\nevent: x\ndata: a", vec!["a"]),
            ("{\"data\": 1}", vec!["{\"data\": 1}"]),
            ("<html>", vec!["<html>"]),
            ("", vec![""]),
        ] {
            assert_eq!(events_of(body), expected, "{body:?}");
        }
    }

    #[test]
    fn a_stream_without_data_has_no_events() {
        assert_eq!(events(&[b"<html>\n\nevent: x\n\n"]), Vec::<String>::new());
    }
}
