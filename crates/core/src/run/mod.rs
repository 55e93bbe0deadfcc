//! A run: its steps, the [`state`] that they fold to, and what comes next, which [`decide`] reads like a table;
//! [`effects`] are what each decision writes.

pub mod approval;
pub mod chat;
pub mod columns;
pub mod decide;
pub mod effects;
pub mod enclosed;
pub mod endings;
pub mod failing;
pub mod gates;
pub mod kept;
pub mod progress;
#[cfg(test)]
mod properties;
pub mod reading;
#[doc(hidden)]
pub mod rehearsal;
pub mod replay;
pub mod rules;
pub mod sentences;
pub mod similar;
pub mod sleep;
pub mod state;
pub mod step;
pub mod transcript;
