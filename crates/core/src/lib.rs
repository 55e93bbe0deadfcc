//! The rules of Clifford as pure functions: the next step of a run, the questions of policy, and what is remembered,
//! found, due and paid. No I/O: a rule takes time and chance as arguments. Only [`clock`] reads the clock, for those who
//! call the rules, and only a new [`id`] is drawn from it and from chance.
//!
//! Begin with [`run`]: its `state` folds the steps of a run, and its `decide` reads like a table. [`policy`] judges the
//! calls, [`prompt`] fits what the model sees, [`settings`] are the sections of `bot.toml`, and the types of rows
//! ([`runs`], [`people`], [`places`], [`messages`]) are named by all crates above.

// The derives name the crate as others see it.
extern crate self as clifford_core;

pub mod access;
pub mod alignment;
pub mod budget;
pub mod clock;
mod column;
pub mod commands;
pub mod fault;
pub mod id;
pub mod json_text;
pub mod memory;
pub mod messages;
pub mod models;
pub mod net;
pub mod people;
pub mod places;
pub mod policy;
pub mod prompt;
pub mod quarantine;
pub mod rate;
pub mod row;
pub mod run;
pub mod runs;
pub mod schedule;
pub mod search;
pub mod settings;
pub mod unread;
pub mod value;
pub mod work;
