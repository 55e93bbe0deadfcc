//! Addresses on the network: which may be fetched, and what they name. Nothing is fetched here.

pub mod address;
pub mod refused;
pub mod target;
