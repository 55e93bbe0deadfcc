//! The store, every rule of it on both engines.

mod claims;
mod engines;
mod hands;
mod keys;
mod moves;
mod people;
mod places;
mod races;
mod rows;
pub mod world;
mod writer;
