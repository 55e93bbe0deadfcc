//! Memory: what is remembered of a person, and how it comes into prompts.

mod asking;
pub mod closing;
pub mod editing;
pub mod writer;

pub use clifford_content::memory::recall::{MOST, answering, selected, viewer};
