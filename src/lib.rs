//! Clifford: a self-hosted AI bot for chat platforms. One process, one database, many chats.
//!
//! `docs/ARCHITECTURE.md` walks one message through these modules. A binary is [`cli::main`] with the platforms that it
//! can be on: [`app::PLATFORMS`], or a list of one's own.

#![warn(missing_docs)]

pub mod app;
pub mod cli;
mod features;
#[doc(hidden)]
pub mod fuzzing;
#[cfg(test)]
mod reference;
