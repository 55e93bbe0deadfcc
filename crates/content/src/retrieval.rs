//! Searchable documents: cut into pieces; results by words are ordered by meaning where that decides. Storing and
//! asking a model is the tool's part.
//!
//! **Documents.** `retrieval` cuts a text into pieces (`retrieval/cut.rs`), each in a full-text index of its own
//! besides that of messages, and with an embedding where a model is set. Words decide what is found; meaning decides
//! between what they find about equally good, and where they find nothing (`retrieval/order.rs`).

mod cut;
mod find;
mod order;

pub use cut::cut;
pub use find::by_words;
pub use order::{nearest, ordered};
