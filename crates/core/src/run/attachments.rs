//! A file that goes out with a message.

use serde::Serialize;

use crate::id::FileId;

/// A file that goes out with a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedFile {
    /// Its id.
    pub id: FileId,
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// How many bytes it has.
    pub size: u64,
}
