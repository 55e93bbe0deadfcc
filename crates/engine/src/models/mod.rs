//! Models: which one a run asks, by whose key, and what fits it.

pub mod own_keys;
pub mod roles;
pub mod sealed;
pub mod windows;
