//! Clifford: a self-hosted AI bot for chat platforms. One process, one database, many chats.
//!
//! `docs/ARCHITECTURE.md` walks one message through these modules.

pub mod app;
pub mod budget;
pub mod cli;
pub mod commands;
pub mod config;
pub mod engine;
pub mod erase;
pub mod export;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod housekeeping;
pub mod http;
pub mod identity;
pub mod ingress;
pub mod jobs;
pub mod left_spaces;
pub mod memory;
pub mod own_keys;
pub mod permissions;
pub mod policy;
pub mod retention;
pub mod roles;
pub mod sealed;
pub mod search;
pub mod triggers;
pub mod windows;
