//! A run: its steps, the [`state`] that they fold to, and what comes next, which [`decide`] reads like a table;
//! [`effects`] are what each decision writes; [`question`] renders a call for the person who approves or denies it.
//!
//! **Subagents** are runs with a parent. `run/effects.rs` narrows their tools (profile within parent) and gives each
//! a share of what its parent has left of tokens and money (`Rules::share`); what they used comes back with
//! `subagent_ended` and counts, so a tree never uses more than its root may. `Rules::of_run` is where profile and
//! share meet a run: the loop, a replay and a resumed run ask the same function. How many of a tree work at once is
//! decided where runs are claimed (`store/runs/queue.rs`), so it holds over all processes; a subagent that
//! rests notifies the next in line.

pub mod approval;
pub mod attachments;
pub(crate) mod chat;
pub mod columns;
pub mod comparison;
pub mod decide;
pub mod decision;
pub mod denials;
pub mod effects;
pub mod endings;
pub mod failing;
pub mod gates;
pub(crate) mod journal;
pub mod kept;
pub mod progress;
#[cfg(test)]
mod properties;
pub mod question;
pub(crate) mod reading;
#[doc(hidden)]
pub mod rehearsal;
pub mod replay;
pub mod rerun;
pub mod rules;
pub mod sentences;
pub(crate) mod share;
pub(crate) mod similar;
pub(crate) mod sleep;
pub mod state;
pub mod step;
pub mod transcript;
pub mod undo;
