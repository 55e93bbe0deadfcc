//! Files: kept in a directory or in a bucket, with a row each that says whose they are.
//!
//! A content is stored before its row is, and its row before anybody is told of it. What is about to be stored has a
//! row of its own (`loose_files`) until then, so that nothing stays behind after a crash.

mod directory;
mod error;
mod keep;
mod location;
mod media;
mod name;
mod s3;
mod see;
mod storage;
mod sweep;
mod text;

pub use error::FileError;
pub use keep::{Content, Files, Limits, NewFile};
pub use location::Location;
pub use media::media_type;
pub use name::clean;
pub use s3::{S3, S3Settings};
pub use see::may_see;
pub use storage::{Storage, StorageError};
pub use sweep::sweep;
pub use text::text;
