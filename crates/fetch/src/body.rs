//! Reads a body up to a limit, for its bytes on the wire and unpacked.

use std::{io, pin::Pin};

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder};
use futures::TryStreamExt;
use reqwest::{Response, header::CONTENT_ENCODING};
use tokio::io::{AsyncRead, AsyncReadExt};
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
    let wire = StreamReader::new(wire);
    let unpacked: Pin<Box<dyn AsyncRead + Send>> = match encodings.as_slice() {
        [] => Box::pin(wire),
        [one] => match one.to_str().map(str::to_ascii_lowercase).as_deref() {
            Ok("gzip" | "x-gzip") => Box::pin(GzipDecoder::new(wire)),
            Ok("deflate") => Box::pin(ZlibDecoder::new(wire)),
            Ok("br") => Box::pin(BrotliDecoder::new(wire)),
            Ok("identity" | "") => Box::pin(wire),
            _ => return Err(FetchError::Encoding),
        },
        _ => return Err(FetchError::Encoding),
    };
    let mut body = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    match unpacked.take(most).read_to_end(&mut body).await {
        Ok(_) if body.len() > limit => Err(FetchError::TooLong(limit)),
        Ok(_) => Ok(body),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(FetchError::TooLong(limit)),
        Err(_) => Err(FetchError::Broken),
    }
}
