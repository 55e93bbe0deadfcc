//! Search as far as it reads and writes: what is indexed, and what is found. Its rules are in `clifford_core::search`.

pub mod find;
pub mod indexer;
pub(crate) mod window;

pub use self::find::{Found, NearbyText, Page, find, find_within};
