//! Addresses on the network: their kinds, and those that may be fetched. Nothing is fetched here.

pub mod address;
pub mod refused;
pub mod target;
