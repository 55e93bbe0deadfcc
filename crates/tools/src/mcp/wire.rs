//! Lines of a server, put right where JSON or JSON-RPC take them otherwise, before the protocol's types read them: they
//! leave out a whole message by one odd field, and its call would wait until its time is over.

mod answer;

use std::{
    borrow::Cow,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use clifford_action::without_halves;
use serde_json::Value;
use tokio::{
    io::{AsyncBufRead, AsyncRead, BufReader, ReadBuf},
    time::Sleep,
};

use super::pace::Pace;

/// A message as the protocol's types read it; what is no JSON stays as it is.
pub(super) fn mended(message: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(message);
    let text = text.trim_start_matches('\u{feff}');
    let read = serde_json::from_str(text).or_else(|_| serde_json::from_str(&with_nulls(&without_halves(text))));
    let mut fields = match read {
        Ok(Value::Object(fields)) => fields,
        // One request has one answer, also in a list.
        Ok(Value::Array(list)) => match list.into_iter().find(answer::is_one) {
            Some(Value::Object(fields)) => fields,
            _ => return Cow::Borrowed(message),
        },
        _ => return Cow::Borrowed(message),
    };
    answer::mend(&mut fields);
    Cow::Owned(Value::Object(fields).to_string().into_bytes())
}

/// Without the numbers that JSON lacks, which Python and others write all the same.
fn with_nulls(json: &str) -> Cow<'_, str> {
    if !json.contains("NaN") && !json.contains("Infinity") {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(next) = rest.chars().next() {
        let number = ["NaN", "Infinity", "-Infinity"]
            .into_iter()
            .find(|number| rest.starts_with(number));
        let length = match (next, number) {
            ('"', _) => end_of_text(rest),
            (_, Some(number)) => {
                text.push_str("null");
                rest = rest.get(number.len()..).unwrap_or_default();
                continue;
            }
            _ => next.len_utf8(),
        };
        let (taken, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        text.push_str(taken);
        rest = left;
    }
    Cow::Owned(text)
}

/// The length of the text that JSON begins with, quotes included.
fn end_of_text(json: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in json.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}

/// Reads a server's lines at its pace, each one mended. A line that is longer than the limit passes as it is.
pub(super) struct Mended<R> {
    inner: BufReader<R>,
    most: usize,
    /// The line so far.
    line: Vec<u8>,
    /// The rest of a line that is too long passes.
    is_passing: bool,
    /// The bytes that are ready to be read, and how many of them have been.
    ready: Vec<u8>,
    taken: usize,
    pace: Pace,
    /// More is read when this is over.
    wait: Option<Pin<Box<Sleep>>>,
}

impl<R: AsyncRead> Mended<R> {
    pub(super) fn new(inner: R, most: usize) -> Self {
        Self {
            inner: BufReader::new(inner),
            most,
            line: Vec::new(),
            is_passing: false,
            ready: Vec::new(),
            taken: 0,
            pace: Pace::new(),
            wait: None,
        }
    }
}

impl<R: AsyncRead + Unpin> Mended<R> {
    /// Takes in some bytes that end no later than their first line does.
    fn take(&mut self, bytes: &[u8]) {
        let is_end = bytes.ends_with(b"\n");
        self.line.extend_from_slice(bytes);
        if self.is_passing || self.line.len() > self.most {
            self.is_passing = !is_end;
            self.ready = std::mem::take(&mut self.line);
        } else if is_end {
            self.line.pop();
            self.ready = mended(&self.line).into_owned();
            self.ready.push(b'\n');
            self.line.clear();
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Mended<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.taken >= this.ready.len() {
            this.ready.clear();
            this.taken = 0;
            if let Some(wait) = &mut this.wait {
                ready!(wait.as_mut().poll(cx));
                this.wait = None;
            }
            let bytes = ready!(Pin::new(&mut this.inner).poll_fill_buf(cx))?;
            if bytes.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let length = bytes
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(bytes.len(), |end| end + 1);
            let bytes = bytes.get(..length).unwrap_or_default().to_vec();
            Pin::new(&mut this.inner).consume(length);
            this.take(&bytes);
            let wait = this.pace.take(length);
            if !wait.is_zero() {
                this.wait = Some(Box::pin(tokio::time::sleep(wait)));
            }
        }
        let left = this.ready.get(this.taken..).unwrap_or_default();
        let now = left.get(..left.len().min(buffer.remaining())).unwrap_or_default();
        buffer.put_slice(now);
        this.taken += now.len();
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    fn read(message: &str) -> Value {
        serde_json::from_slice(&mended(message.as_bytes())).expect(message)
    }

    #[test]
    fn a_message_is_read_whatever_is_odd_about_its_json() {
        for (message, expected) in [
            ("\u{feff}{\"id\":1,\"method\":\"x\"}", json!({ "id": 1, "method": "x" })),
            (r#"{"method":"a\ud83d"}"#, json!({ "method": "a\u{fffd}" })),
            (
                r#"{"method":"NaN \" -Infinity","a":[NaN,-Infinity,Infinity,1]}"#,
                json!({ "method": "NaN \" -Infinity", "a": [null, null, null, 1] }),
            ),
        ] {
            assert_eq!(read(message), expected, "{message}");
        }
        assert_eq!(
            serde_json::from_slice::<Value>(&mended(b"{\"method\":\"a\xff\"}")).expect("JSON"),
            json!({ "method": "a\u{fffd}" })
        );
        for message in ["hello", "", "[1]", "{\"a\":", "NaN", "\"NaN", "{\"a\":\"\\"] {
            assert_eq!(*mended(message.as_bytes()), *message.as_bytes());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_writes_without_end_is_not_read_as_fast_as_it_writes() {
        let began = tokio::time::Instant::now();
        let mut mended = Mended::new(tokio::io::repeat(b'x'), 60);
        let mut bytes = vec![0; 10 * 1024 * 1024];
        mended.read_exact(&mut bytes).await.expect("bytes");
        let took = began.elapsed().as_millis();
        assert!((1_900..2_500).contains(&took), "{took}");
    }

    #[tokio::test]
    async fn lines_are_mended_one_by_one_and_long_ones_pass() {
        let long = format!("{{\"id\":\"9\",\"result\":{:?}}}", "x".repeat(100));
        let lines = format!("{{\"id\":\"1\",\"result\":1}}\r\n\n{long}\nhello\n{{\"id\":\"2\",\"result\":2}}\nrest");
        for size in [1, 7, 1000] {
            // No more than that is read at once.
            let (mut writer, reader) = tokio::io::duplex(size);
            let written = async {
                writer.write_all(lines.as_bytes()).await.expect("a reader");
                drop(writer);
            };
            let mut text = String::new();
            let mut mended = Mended::new(reader, 60);
            let ((), read) = tokio::join!(written, mended.read_to_string(&mut text));
            read.expect("a text");
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(
                lines,
                [
                    r#"{"id":1,"result":1,"jsonrpc":"2.0"}"#,
                    "",
                    long.as_str(),
                    "hello",
                    r#"{"id":2,"result":2,"jsonrpc":"2.0"}"#,
                ],
                "pieces of {size}"
            );
        }
    }
}
