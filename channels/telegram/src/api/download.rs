//! The content of files. Their address is made here: teloxide writes a `/` of `file_path` as `%2F`, which not every server
//! and proxy takes for one.

use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, TryFutureExt as _, stream};
use reqwest::Response;

use super::{Api, ApiError, RETRY_AFTER};

impl Api {
    /// The content of a file, by the path that `getFile` gave.
    pub(crate) fn download(&self, path: &str) -> impl Stream<Item = Result<Bytes, ApiError>> + Unpin {
        let request = self.url("file").map(|mut url| {
            if let Ok(mut segments) = url.path_segments_mut() {
                segments
                    .push(&format!("bot{}", self.bot.token()))
                    .extend(path.split('/'));
            }
            self.bot.client().get(url)
        });
        let content = async move {
            let failed = |error| self.not_downloaded(error);
            let response = request?
                .send()
                .await
                .and_then(Response::error_for_status)
                .map_err(failed)?;
            Ok::<_, ApiError>(stream::try_unfold(response, move |mut response| async move {
                let piece = response.chunk().await.map_err(failed)?;
                Ok(piece.map(|piece| (piece, response)))
            }))
        };
        Box::pin(content.try_flatten_stream())
    }

    fn not_downloaded(&self, error: reqwest::Error) -> ApiError {
        match error.status().map(|status| status.as_u16()) {
            Some(429) => ApiError::RetryAfter(Duration::from_secs(RETRY_AFTER)),
            Some(code @ 400..=499) => ApiError::Refused {
                code,
                description: format!("HTTP {code} for the file"),
            },
            Some(code) => ApiError::Failed(format!("HTTP {code} for the file")),
            None => self.unreachable(error),
        }
    }
}
