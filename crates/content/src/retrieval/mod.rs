//! Documents that can be searched: cut into pieces, and what was found by words ordered by meaning where that decides.
//! What is stored and asked of a model is the tool's.

mod cut;
mod find;
mod order;

pub use cut::cut;
pub use find::by_words;
pub use order::{nearest, ordered};
