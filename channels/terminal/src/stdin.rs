//! Standard input without a read that outlives the runtime.
//!
//! Tokio's own keeps a blocking task that the runtime waits for when it ends: after Ctrl-C the process
//! would hang until Enter is pressed. A plain thread ends with the process.

use std::{
    io::{self, Read as _},
    pin::Pin,
    task::{Context, Poll, ready},
    thread,
};

use tokio::{
    io::{AsyncRead, ReadBuf},
    sync::mpsc,
};

const CHUNK: usize = 8 * 1024;

/// A thread's reads of standard input.
pub(crate) struct Stdin {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    /// Read, but not yet asked for.
    rest: Vec<u8>,
}

impl Stdin {
    /// Starts to read.
    ///
    /// # Errors
    /// The system has no room for another thread.
    pub(crate) fn open() -> io::Result<Self> {
        let (sender, chunks) = mpsc::channel(1);
        thread::Builder::new()
            .name("stdin".to_owned())
            .spawn(move || read(&sender))?;
        Ok(Self {
            chunks,
            rest: Vec::new(),
        })
    }
}

/// Reads until the input ends or nobody listens.
fn read(sender: &mpsc::Sender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        let chunk = match io::stdin().read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => Ok(buffer[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        if sender.blocking_send(chunk).is_err() || failed {
            return;
        }
    }
}

impl AsyncRead for Stdin {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.rest.is_empty() {
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => self.rest = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let length = self.rest.len().min(buffer.remaining());
        buffer.put_slice(&self.rest[..length]);
        self.rest.drain(..length);
        Poll::Ready(Ok(()))
    }
}
