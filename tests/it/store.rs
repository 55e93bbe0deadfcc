//! The store, every rule of it on both engines.

mod claims;
mod engines;
mod places;
mod races;
mod rows;
mod world;
mod writer;
