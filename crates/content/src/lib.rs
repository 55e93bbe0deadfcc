//! The data that people leave: their files, the memory of them, and the search in both.
//!
//! [`files`] keeps contents in a directory or a bucket, [`retrieval`] makes documents searchable, [`search`] finds
//! messages, and [`memory`] recalls what a prompt shows. The rules behind them (terms, rank, scope, levels) are pure and
//! stand in `clifford_core`, the rows in `clifford_store`.

pub mod files;
pub mod memory;
pub mod retrieval;
pub mod search;
