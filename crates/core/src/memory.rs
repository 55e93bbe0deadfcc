//! Memory: what is worth remembering, at which level, and how long.

pub mod content;
pub mod levels;
pub mod operations;
pub mod result;
pub mod rows;
pub mod rules;
pub mod secrets;
pub mod segment;
pub mod summary;
pub mod write_prompt;
