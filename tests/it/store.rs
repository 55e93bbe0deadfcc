//! The store, every rule of it on both engines.

mod claims;
mod engines;
mod keys;
mod lists;
mod moves;
mod places;
mod races;
mod rows;
pub mod world;
mod writer;
