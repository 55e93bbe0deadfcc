//! A language model as the rest of Clifford sees it: requests, replies, errors, and how much text costs. No provider,
//! no network.

#![warn(missing_docs)]

pub mod meter;
pub mod model;
pub mod tokens;
