//! The contents of files that go out: read when they are sent, never before.

use clifford_chat::{
    error::SendError,
    outbound::{Part, Payload},
};
use clifford_content::files::FileError;
use clifford_core::id::FileId;
use clifford_store::{StoreError, files};

use super::Inner;

impl Inner {
    /// A part with all that it needs to be sent; `None`: it has that.
    ///
    /// # Errors
    /// The part cannot be sent: its file is gone, or may be had later.
    pub(super) async fn with_content(&self, part: &Part) -> Result<Option<Part>, SendError> {
        let Part::Stored {
            id, name, media_type, ..
        } = part
        else {
            return Ok(None);
        };
        let gone = || SendError::Rejected("it was deleted".to_owned());
        let file: FileId = id.parse().map_err(|_| gone())?;
        let file = self.row(file).await.map_err(later)?.ok_or_else(gone)?;
        let content = self.files.content(&self.db, &file, self.clock.now()).await;
        let content = content.map_err(|error| match error {
            FileError::Unavailable(why) => SendError::NotSent(why),
            error => SendError::Rejected(error.to_string()),
        })?;
        Ok(Some(Part::Stored {
            id: id.clone(),
            name: name.clone(),
            media_type: media_type.clone(),
            payload: Payload {
                content: content.bytes,
                path: content.path,
            },
        }))
    }

    async fn row(&self, id: FileId) -> Result<Option<files::File>, StoreError> {
        files::get(&mut self.db.read().await?, id).await
    }
}

fn later(error: StoreError) -> SendError {
    SendError::NotSent(error.to_string())
}
