//! Downloads of attachments: `getFile`, then the content, within the limit of the caller.
//!
//! A server in local mode names a file of its own disk. It is read only below the directory of the settings, and no
//! path stands in an error: it holds the token.

use std::{
    io,
    path::{Path, PathBuf},
};

use bytes::{Bytes, BytesMut};
use clifford_channel::FetchError;
use futures::StreamExt;
use serde::Deserialize;
use teloxide::{payloads::GetFile, types::FileId};
use tokio::{fs, io::AsyncReadExt as _};

use crate::{
    Telegram,
    api::{ApiError, CALL_TIMEOUT},
};

/// The largest file that Telegram's own server gives to bots: <https://core.telegram.org/bots/api#getfile>
const GIVEN: u64 = 20 << 20;

/// The fields of a file that are read.
#[derive(Deserialize)]
struct File {
    file_path: Option<String>,
    file_size: Option<u64>,
}

/// Reads a file of at most so many bytes.
pub(crate) async fn file(telegram: &Telegram, id: &str, most: u64) -> Result<Bytes, FetchError> {
    let api = &telegram.api;
    let found: File = api
        .call(&GetFile::new(FileId(id.to_owned())), CALL_TIMEOUT)
        .await
        .map_err(|error| fetch_error(error, most))?;
    if found.file_size.is_some_and(|size| size > most) {
        return Err(FetchError::TooLarge);
    }
    let path = found.file_path.ok_or(FetchError::TooLarge)?;
    if Path::new(&path).is_absolute() {
        let settings = &telegram.settings;
        return local(
            settings.local_dir.as_deref().filter(|_| settings.local),
            Path::new(&path),
            most,
        )
        .await;
    }
    let mut pieces = api.download(&path);
    let mut content = BytesMut::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| fetch_error(error, most))?;
        content.extend_from_slice(&piece);
        if u64::try_from(content.len()).unwrap_or(u64::MAX) > most {
            return Err(FetchError::TooLarge);
        }
    }
    Ok(content.freeze())
}

/// Reads a file of this machine's, below a directory and nowhere else.
async fn local(dir: Option<&Path>, path: &Path, most: u64) -> Result<Bytes, FetchError> {
    let Some(dir) = dir else {
        return Err(FetchError::Gone(
            "the Bot API server runs in local mode: set channels.telegram.local = true and channels.telegram.local_dir \
             to its working directory"
                .to_owned(),
        ));
    };
    let path = below(dir, path).await?;
    let file = fs::File::open(&path).await.map_err(|error| unreadable(&error))?;
    let is_file = file.metadata().await.map_err(|error| unreadable(&error))?.is_file();
    if !is_file {
        return Err(FetchError::Gone("the Bot API server names what is no file".to_owned()));
    }
    let mut content = Vec::new();
    let mut limited = file.take(most.saturating_add(1));
    limited
        .read_to_end(&mut content)
        .await
        .map_err(|error| unreadable(&error))?;
    if u64::try_from(content.len()).unwrap_or(u64::MAX) > most {
        return Err(FetchError::TooLarge);
    }
    Ok(content.into())
}

/// The real path of a file below a directory, whatever links lead there.
async fn below(dir: &Path, path: &Path) -> Result<PathBuf, FetchError> {
    let dir = fs::canonicalize(dir).await.map_err(|error| {
        FetchError::Unavailable(format!("channels.telegram.local_dir cannot be read: {}", error.kind()))
    })?;
    let path = fs::canonicalize(path).await.map_err(|error| unreadable(&error))?;
    if path.starts_with(&dir) {
        return Ok(path);
    }
    Err(FetchError::Gone(
        "the Bot API server names a file outside of channels.telegram.local_dir".to_owned(),
    ))
}

fn unreadable(error: &io::Error) -> FetchError {
    let told = format!(
        "the file of the Bot API server cannot be read ({}); check channels.telegram.local_dir",
        error.kind()
    );
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => FetchError::Gone(told),
        _ => FetchError::Unavailable(told),
    }
}

/// Why a file of at most so many bytes was not read.
fn fetch_error(error: ApiError, most: u64) -> FetchError {
    match error {
        // The words for a file over the 20 MB that Telegram gives to bots.
        ApiError::Refused { description, .. } if description.contains("file is too big") && most <= GIVEN => {
            FetchError::TooLarge
        }
        ApiError::Refused { description, .. } if description.contains("file is too big") => FetchError::Gone(
            "Telegram gives bots files of up to 20 MB; a Bot API server of your own gives larger ones".to_owned(),
        ),
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
