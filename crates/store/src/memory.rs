//! Memory: items, documents, recall over both, and their changes.

pub mod admin;
pub mod items;
pub mod prompt_context;
pub mod source;
pub mod undo;
pub mod write;
