//! Downloads of attachments: `getFile`, then the content, within the limit of the caller.

use bytes::{Bytes, BytesMut};
use clifford_channel::FetchError;
use futures::StreamExt;
use serde::Deserialize;
use teloxide::{payloads::GetFile, types::FileId};

use crate::api::{Api, ApiError, CALL_TIMEOUT};

/// The fields of a file that are read.
#[derive(Deserialize)]
struct File {
    file_path: Option<String>,
    file_size: Option<u64>,
}

/// Reads a file of at most so many bytes.
pub(crate) async fn file(api: &Api, id: &str, most: u64) -> Result<Bytes, FetchError> {
    let found: File = api
        .call(&GetFile::new(FileId(id.to_owned())), CALL_TIMEOUT)
        .await
        .map_err(fetch_error)?;
    if found.file_size.is_some_and(|size| size > most) {
        return Err(FetchError::TooLarge);
    }
    let path = found.file_path.ok_or(FetchError::TooLarge)?;
    let mut pieces = api.download(&path);
    let mut content = BytesMut::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(fetch_error)?;
        content.extend_from_slice(&piece);
        if u64::try_from(content.len()).unwrap_or(u64::MAX) > most {
            return Err(FetchError::TooLarge);
        }
    }
    Ok(content.freeze())
}

fn fetch_error(error: ApiError) -> FetchError {
    match error {
        // The words for a file over the 20 MB that Telegram gives to bots.
        ApiError::Refused { description, .. } if description.contains("file is too big") => FetchError::TooLarge,
        ApiError::Refused { description, .. } => {
            FetchError::Gone(format!("Telegram does not have it any more ({description})"))
        }
        ApiError::MovedTo(_) => FetchError::Gone("Telegram does not have it any more".to_owned()),
        ApiError::RetryAfter(time) => FetchError::Unavailable(format!("it asks to wait {} s", time.as_secs())),
        ApiError::NoConnection(why) | ApiError::Unreachable(why) | ApiError::Failed(why) => {
            FetchError::Unavailable(why)
        }
    }
}
