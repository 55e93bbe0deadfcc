//! The run engine: a loop in which a model answers with one action at a time, and the engine carries it out.
//!
//! [`state`] folds steps into what a run knows, [`decide`] holds the rules and [`effects`] what each decision
//! writes; the three see no clock, database or network. [`perform`] does the I/O around them.

pub mod answering;
pub mod approval;
pub mod cancel;
pub mod chat;
pub mod commit;
mod control;
pub mod crash;
pub mod cron;
pub mod decide;
pub mod draft;
pub mod effects;
pub mod endings;
#[expect(clippy::module_inception, reason = "the engine's parts are the engine")]
mod engine;
pub mod events;
mod failing;
pub mod gates;
pub mod interval;
pub mod lease;
pub mod masked;
pub mod perform;
pub mod progress;
pub mod prompt;
#[cfg(test)]
mod properties;
mod reading;
#[cfg(test)]
mod rehearsal;
pub mod replay;
pub mod rules;
pub mod scheduler;
pub mod sentences;
pub mod session;
pub mod similar;
pub mod state;
pub mod step;
mod suspects;
pub mod tool_payer;
pub mod transcript;
mod unpaid;
mod unread;
pub mod wake;
pub mod work;

pub use control::retry_from_outside;
pub use engine::{Engine, MemorySettings, Parts, Settings};
