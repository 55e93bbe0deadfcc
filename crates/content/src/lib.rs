//! What is kept of people and of what they send: files, memory, and how both are found again.

pub mod files;
pub mod memory;
pub mod retrieval;
pub mod search;
