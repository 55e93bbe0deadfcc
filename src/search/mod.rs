//! Search as far as it reads and writes: what is indexed, and what is found. Its rules are in `clifford_core::search`.

pub use clifford_content::search::find::{Found, NearbyText, Page, find, find_within};
