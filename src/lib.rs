//! Clifford: a self-hosted AI bot for chat platforms. One process, one database, many chats.
//!
//! `docs/ARCHITECTURE.md` walks one message through these modules.

pub mod app;
pub mod cli;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
