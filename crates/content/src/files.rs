//! Files: kept in a directory or in a bucket, with a row each that says whose they are.
//!
//! Content is stored before its row, and its row before anybody hears of it. Until then a row of `loose_files`
//! announces the content, so that a crash leaves nothing behind.
//!
//! **Files.** A file is a row with its owner, its place and the location of its content: in the data directory, in a
//! bucket, or still with the platform that it came from (`files/location.rs`). An attachment has its row in the
//! message's commit, and its content is fetched when a tool first reads it (`Channel::fetch`). Content that is kept
//! here is stored before its row, and announced in `loose_files` before that; a deleted row puts its content back there
//! by a trigger. So `files/sweep.rs` leaves nothing behind after any crash. A run's `file_ids` are looked up before the
//! rules judge its reply (`engine/run/session/attachments.rs`); the outbox holds each file's id, and delivery reads the
//! content when it sends it. In private a person sees their own files, in a shared place everybody sees those of the
//! place (`files/see.rs`). A file that the run's own tree did not make is data from outside when it is read.

mod bucket;
mod directory;
mod error;
mod keep;
mod location;
mod media;
mod name;
mod see;
mod storage;
mod sweep;
mod text;

pub use bucket::{Bucket, BucketKeys};
pub use directory::FILES;
pub use error::FileError;
pub use keep::{Content, Files, NewFile};
pub use location::Location;
pub use media::media_type;
pub use name::clean;
pub use see::may_see;
pub use storage::{Storage, StorageError};
pub use sweep::sweep;
pub use text::text;
