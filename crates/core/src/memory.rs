//! Memory: the items worth remembering, their levels, and their lifetimes.

pub mod content;
pub mod levels;
pub mod operations;
pub mod result;
pub mod rows;
pub mod rules;
pub mod secrets;
pub mod segment;
pub mod source;
pub mod summary;
pub mod write_prompt;
