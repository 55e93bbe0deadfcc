//! The data that people leave: their files, the memory of them, and the search in both.

pub mod files;
pub mod memory;
pub mod retrieval;
pub mod search;
