//! Typed input, entry by entry.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// Longer entries are cut in two: no input can fill the memory.
const LONGEST: u64 = 1 << 20;

/// Reads entries: lines, or several of them if all but the last end in `\`.
pub(crate) struct Input(pub(crate) Box<dyn AsyncBufRead + Send + Unpin>);

/// One line as it came.
pub(crate) enum Line {
    /// The entry goes on in the next line.
    Continued(String),
    /// The entry ends with it.
    Last(String),
}

impl Input {
    /// The next line. `None`: there are no more.
    pub(crate) async fn line(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        if (&mut self.0).take(LONGEST).read_until(b'\n', &mut bytes).await? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        Ok(Some(match text.strip_suffix('\\') {
            Some(start) => Line::Continued(start.to_owned()),
            None => Line::Last(text.to_owned()),
        }))
    }
}
