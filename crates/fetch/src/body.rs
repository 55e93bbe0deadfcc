//! Reads a body up to a limit, for its bytes on the wire and unpacked.

use std::{io, pin::Pin};

use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder};
use futures::TryStreamExt;
use reqwest::{Response, header::CONTENT_ENCODING};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt};
use tokio_util::io::StreamReader;

use super::error::FetchError;

/// The encodings that [`read`] can unpack, for the request to say so.
pub(super) const ACCEPTED: &str = "gzip, deflate, br";

/// The whole body, unpacked.
pub(super) async fn read(response: Response, limit: usize) -> Result<Vec<u8>, FetchError> {
    let encodings: Vec<_> = response
        .headers()
        .get_all(CONTENT_ENCODING)
        .into_iter()
        .cloned()
        .collect();
    let mut arrived = 0;
    let wire = response
        .bytes_stream()
        .map_err(io::Error::other)
        .and_then(move |piece| {
            arrived += piece.len();
            // A stream that unpacks to nothing could go on for ever.
            futures::future::ready(if arrived > limit {
                Err(io::ErrorKind::FileTooLarge.into())
            } else {
                Ok(piece)
            })
        });
    let mut wire: Wire = Box::pin(StreamReader::new(wire));
    let mut body = Vec::new();
    let unpacked: Pin<Box<dyn AsyncRead + Send>> = match encodings.as_slice() {
        [] => Box::pin(wire),
        [one] => match one.to_str().map(str::to_ascii_lowercase).as_deref() {
            Ok("gzip" | "x-gzip") => return gunzipped(wire, body, limit).await,
            // Some servers leave the frame out that belongs around it.
            Ok("deflate") => {
                let first = first_byte(&mut wire).await;
                match first.is_none_or(|first| first & 0x0f == ZLIB) {
                    true => Box::pin(ZlibDecoder::new(wire)),
                    false => Box::pin(DeflateDecoder::new(wire)),
                }
            }
            Ok("br") => Box::pin(BrotliDecoder::new(wire)),
            Ok("identity" | "") => Box::pin(wire),
            _ => return Err(FetchError::Encoding),
        },
        _ => return Err(FetchError::Encoding),
    };
    append(unpacked, &mut body, limit).await?;
    Ok(body)
}

/// A body as it arrives.
type Wire = Pin<Box<dyn AsyncBufRead + Send>>;

/// The first four bits of the frame of zlib: the method.
const ZLIB: u8 = 8;
/// The first byte of gzip.
const GZIP: u8 = 0x1f;

/// The body in all members of a gzip: some servers pack each piece by itself. Whatever else follows is not read.
async fn gunzipped(mut wire: Wire, mut body: Vec<u8>, limit: usize) -> Result<Vec<u8>, FetchError> {
    loop {
        let mut member = GzipDecoder::new(wire);
        append(&mut member, &mut body, limit).await?;
        wire = member.into_inner();
        if first_byte(&mut wire).await != Some(GZIP) {
            return Ok(body);
        }
    }
}

/// The next byte, which stays to be read.
async fn first_byte(wire: &mut Wire) -> Option<u8> {
    wire.fill_buf().await.ok()?.first().copied()
}

/// Reads to the end, behind what was read before.
async fn append(unpacked: impl AsyncRead + Unpin, body: &mut Vec<u8>, limit: usize) -> Result<(), FetchError> {
    let most = limit.saturating_sub(body.len()).saturating_add(1);
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    match unpacked.take(most).read_to_end(body).await {
        Ok(_) if body.len() > limit => Err(FetchError::TooLong(limit)),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(FetchError::TooLong(limit)),
        Err(_) => Err(FetchError::Broken),
    }
}
