//! A language model as the rest of Clifford sees it: what is asked, what comes back, what may go wrong, and how much
//! text costs. No provider, no network.

#![warn(missing_docs)]

pub mod model;
pub mod tokens;
