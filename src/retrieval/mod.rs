//! Documents that can be searched: cut into pieces, and what was found by words and by meaning put together. Pure; the
//! tool does the rest.

mod cut;
mod fuse;

pub use cut::cut;
pub use fuse::{fuse, nearest};
