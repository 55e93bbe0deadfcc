//! Memory: what is remembered of a person, and how it comes into prompts.

mod asking;
pub mod closing;
pub mod content;
pub mod editing;
pub mod levels;
pub mod noting;
pub mod operations;
pub mod recall;
pub mod result;
pub mod rules;
pub mod secrets;
pub mod segment;
pub mod summary;
pub mod write_prompt;
pub mod writer;

pub use recall::{MOST, answering, selected, viewer};
