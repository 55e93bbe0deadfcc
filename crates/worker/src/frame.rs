//! Frames on the pipes of worker processes: two lengths, a JSON header, a body.
//!
//! Both lengths are 32 bits, big endian, and are checked before anything of that length is allocated.

use std::io::{self, Read};

use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The bytes of the two lengths.
const LENGTHS: usize = 8;

/// The most bytes of a frame's header and body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Most {
    pub header: usize,
    pub body: usize,
}

/// The limits of a task: a page has at most 50 MiB.
pub(super) const TASK: Most = Most {
    header: 64 * 1024,
    body: 64 * 1024 * 1024,
};
/// The limits of a reply: an excerpt and links, each character of which may take six in JSON, or an image of a megabyte
/// as Base64.
pub(super) const REPLY: Most = Most {
    header: 2 * 1024 * 1024,
    body: 0,
};

/// Why a frame cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError {
    /// The other side has closed its pipe between two frames.
    #[error("the pipe is closed")]
    Closed,
    /// It is longer than it may be.
    #[error("a frame of {header} + {body} bytes is too long")]
    TooLong { header: usize, body: usize },
    /// The header is not what is expected.
    #[error("the frame's header is wrong: {0}")]
    Header(#[from] serde_json::Error),
    /// The pipe.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The lengths and the header, to be written before the body.
pub(super) fn head<T: Serialize>(header: &T, body: usize, most: Most) -> Result<Vec<u8>, FrameError> {
    let mut head = vec![0; LENGTHS];
    serde_json::to_writer(&mut head, header)?;
    let header = head.len() - LENGTHS;
    let too_long = || FrameError::TooLong { header, body };
    if header > most.header || body > most.body {
        return Err(too_long());
    }
    let lengths = [header, body].map(|length| u32::try_from(length).map(u32::to_be_bytes));
    let [Ok(first), Ok(second)] = lengths else {
        return Err(too_long());
    };
    for (place, byte) in head.iter_mut().zip(first.into_iter().chain(second)) {
        *place = byte;
    }
    Ok(head)
}

/// The two lengths, if they are within bounds.
fn lengths(bytes: [u8; LENGTHS], most: Most) -> Result<(usize, usize), FrameError> {
    let [a, b, c, d, e, f, g, h] = bytes;
    let length = |bytes| usize::try_from(u32::from_be_bytes(bytes)).unwrap_or(usize::MAX);
    let (header, body) = (length([a, b, c, d]), length([e, f, g, h]));
    if header > most.header || body > most.body {
        return Err(FrameError::TooLong { header, body });
    }
    Ok((header, body))
}

/// Reads a frame, blocking.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read, most: Most) -> Result<(T, Vec<u8>), FrameError> {
    let mut first = [0; LENGTHS];
    let (one, others) = first.split_at_mut(1);
    loop {
        match from.read(one) {
            Ok(0) => return Err(FrameError::Closed),
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    from.read_exact(others)?;
    let (header, length) = lengths(first, most)?;
    let mut json = vec![0; header];
    from.read_exact(&mut json)?;
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok((serde_json::from_slice(&json)?, body))
}

/// Writes a frame.
pub(super) async fn send<T: Serialize>(
    to: &mut (impl AsyncWrite + Unpin),
    header: &T,
    body: &[u8],
    most: Most,
) -> Result<(), FrameError> {
    let head = head(header, body.len(), most)?;
    to.write_all(&head).await?;
    to.write_all(body).await?;
    Ok(to.flush().await?)
}

/// Reads the header of a frame that has no body.
pub(super) async fn receive<T: DeserializeOwned>(
    from: &mut (impl AsyncRead + Unpin),
    most: Most,
) -> Result<T, FrameError> {
    let mut first = [0; LENGTHS];
    match from.read_exact(&mut first).await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(FrameError::Closed),
        other => drop(other?),
    }
    let (header, body) = lengths(first, Most { body: 0, ..most })?;
    debug_assert_eq!(body, 0);
    let mut json = vec![0; header];
    from.read_exact(&mut json).await?;
    Ok(serde_json::from_slice(&json)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Reply, Task};

    fn frame(header: &Task, body: &[u8]) -> Vec<u8> {
        let mut frame = head(header, body.len(), TASK).unwrap();
        frame.extend_from_slice(body);
        frame
    }

    #[test]
    fn a_frame_is_two_lengths_a_header_and_a_body() {
        let task = Task::Expression { max_ms: 5 };
        let bytes = frame(&task, b"1+1");
        assert_eq!(bytes[..LENGTHS], [0, 0, 0, 32, 0, 0, 0, 3]);
        assert_eq!(&bytes[LENGTHS..], br#"{"kind":"expression","max_ms":5}1+1"#);
        let (read, body): (Task, _) = read(&mut bytes.as_slice(), TASK).unwrap();
        assert_eq!((read, body), (task, b"1+1".to_vec()));
    }

    #[test]
    fn a_frame_that_is_too_long_is_refused_before_anything_is_allocated_for_it() {
        let task = Task::Expression { max_ms: 5 };
        let most = Most { header: 10, body: 10 };
        assert!(matches!(head(&task, 0, most), Err(FrameError::TooLong { body: 0, .. })));
        let read = |bytes: &[u8]| read::<Task>(&mut { bytes }, most).map(|(task, _)| task);
        let huge = [0xff; LENGTHS];
        assert!(matches!(
            read(&huge),
            Err(FrameError::TooLong {
                header: 0xffff_ffff,
                body: 0xffff_ffff
            })
        ));
        assert!(matches!(read(&[]), Err(FrameError::Closed)));
        assert!(matches!(read(&[0, 0]), Err(FrameError::Io(_))));
        assert!(matches!(
            read(&[0, 0, 0, 2, 0, 0, 0, 0, b'{', b'}']),
            Err(FrameError::Header(_))
        ));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(max_ms: u64, body: Vec<u8>) {
            let task = Task::Expression { max_ms };
            let bytes = frame(&task, &body);
            let (again, whole): (Task, _) = read(&mut bytes.as_slice(), TASK).unwrap();
            prop_assert_eq!((again, whole), (task, body));
        }

        #[test]
        fn any_bytes_are_a_frame_or_an_error(bytes: Vec<u8>) {
            crate::fuzzing::check_frames(&bytes);
        }
    }

    #[tokio::test]
    async fn a_reply_is_read_from_a_pipe_and_one_with_a_body_is_none() {
        let reply = Reply::Value { value: "2".to_owned() };
        let mut bytes = Vec::new();
        send(&mut bytes, &reply, &[], REPLY).await.unwrap();
        assert_eq!(receive::<Reply>(&mut bytes.as_slice(), REPLY).await.unwrap(), reply);
        bytes[7] = 1;
        let refused = receive::<Reply>(&mut bytes.as_slice(), REPLY).await;
        assert!(matches!(refused, Err(FrameError::TooLong { body: 1, .. })));
        assert!(matches!(
            receive::<Reply>(&mut [].as_slice(), REPLY).await,
            Err(FrameError::Closed)
        ));
    }
}
