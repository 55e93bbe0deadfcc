//! Searching what was said, and keeping the index of it up to date.

pub mod find;
pub mod indexer;
pub(crate) mod window;
