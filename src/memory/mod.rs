//! Memory: what is remembered of a person, and how it comes into prompts.

pub mod editing;
pub mod recall;
pub mod rules;
pub mod writer;

pub use recall::{MOST, selected, viewer};
