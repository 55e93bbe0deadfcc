//! What is remembered: items, documents, what is recalled of both, and how they change.

pub mod admin;
pub mod items;
pub mod prompt_context;
pub mod write;
