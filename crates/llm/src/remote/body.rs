//! Reading a body with a limit on its size and on the silence between its pieces.

use std::{error::Error, time::Duration};

use bytes::Bytes;
use reqwest::Response;

/// A body, piece by piece.
pub(crate) struct Pieces {
    response: Response,
    idle: Duration,
    left: usize,
}

impl Pieces {
    /// Reads at most `limit` bytes, and waits at most `idle` for each piece.
    pub(crate) fn new(response: Response, idle: Duration, limit: usize) -> Self {
        Self {
            response,
            idle,
            left: limit,
        }
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// Why the body cannot be read further, in words.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, String> {
        tokio::time::timeout(self.idle, self.next_ever())
            .await
            .unwrap_or_else(|_| Err(format!("nothing came for {:?}", self.idle)))
    }

    /// The same, however long it takes.
    ///
    /// # Errors
    /// As [`Pieces::next`].
    pub(crate) async fn next_ever(&mut self) -> Result<Option<Bytes>, String> {
        let piece = self.response.chunk().await.map_err(transport)?;
        let length = piece.as_ref().map_or(0, Bytes::len);
        self.left = self.left.checked_sub(length).ok_or("the answer is too long")?;
        Ok(piece)
    }

    /// The whole body.
    ///
    /// # Errors
    /// As [`Pieces::next`].
    pub(crate) async fn whole(&mut self) -> Result<Vec<u8>, String> {
        let mut whole = Vec::new();
        while let Some(piece) = self.next().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    /// As much of the body as can be read: a partial error is better than none.
    pub(crate) async fn up_to_limit(&mut self) -> Vec<u8> {
        let mut read = Vec::new();
        while let Ok(Some(piece)) = self.next().await {
            read.extend_from_slice(&piece);
        }
        read
    }
}

/// The transport error, down to its cause, without the URL: that may hold a password. Where there was no connection, the
/// cause says all, and what the layers above it add says nothing.
pub(crate) fn transport(error: reqwest::Error) -> String {
    let error = error.without_url();
    if error.is_connect() {
        let mut cause: &dyn Error = &error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        let cause = cause.to_string();
        // The number that the system has for it, in parentheses.
        let words = cause
            .split_once(" (os error ")
            .map_or(cause.as_str(), |(words, _)| words);
        return format!("no connection: {words}");
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text
}
