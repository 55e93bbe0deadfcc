//! Left here until its children go, too.

pub mod find;
pub mod indexer;
pub(crate) mod window;

pub use self::find::{Found, NearbyText, Page, find, find_within};
