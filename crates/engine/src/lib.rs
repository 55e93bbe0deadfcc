//! The run engine: a loop in which a model answers with one action at a time, and the engine carries it out.
//!
//! In `clifford_core::run`, `state` folds steps into what a run knows, `decide` holds the rules and `effects` what each
//! decision writes; the three see no clock, database or network. [`run::perform`] does the I/O around them.

pub mod budget;
pub mod jobs;
pub mod memory;
pub mod models;
pub mod run;
mod runs;
pub mod scheduler;
pub mod triggers;
pub mod work;

pub use crate::runs::{Engine, MemorySettings, Parts, Settings, control::retry_from_outside};
