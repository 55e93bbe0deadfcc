//! The store, every rule of it on both engines.

mod claims;
mod engines;
pub mod erasure;
mod exports;
mod keys;
mod left_spaces;
mod moves;
mod places;
mod races;
mod rows;
pub mod world;
mod writer;
