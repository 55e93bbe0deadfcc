//! The HTTP API.

pub mod channel;
