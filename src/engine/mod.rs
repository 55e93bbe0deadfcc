//! The run engine: a loop in which a model answers with one action at a time, and the engine carries it out.
//!
//! In `clifford_core::run`, `state` folds steps into what a run knows, `decide` holds the rules and `effects` what each
//! decision writes; the three see no clock, database or network. [`perform`] does the I/O around them.

pub mod answering;
pub mod cancel;
pub mod commit;
mod control;
pub mod draft;
#[expect(clippy::module_inception, reason = "the engine's parts are the engine")]
mod engine;
pub mod events;
pub mod lease;
pub mod masked;
pub mod perform;
pub mod prompt;
pub mod scheduler;
pub mod session;
mod suspects;
pub mod tool_payer;
mod unpaid;
mod unread;
pub mod wake;
pub mod work;

pub use control::retry_from_outside;
pub use engine::{Engine, MemorySettings, Parts, Settings};
