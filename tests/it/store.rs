//! The store, every rule of it on both engines.

mod budgets;
mod claims;
mod documents;
mod engines;
pub mod erasure;
mod exports;
mod files;
mod follow_ups;
mod hands;
mod keys;
mod left_spaces;
mod linking;
mod lists;
mod managing;
mod memory_writes;
mod migrations;
mod moves;
mod people;
mod places;
mod policies;
mod races;
mod recollections;
mod rows;
mod search;
mod triggers;
pub mod world;
mod writer;
