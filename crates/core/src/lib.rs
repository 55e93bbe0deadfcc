//! The rules of Clifford as pure functions: what a run does next, what policy asks, what is remembered, found, due and
//! paid. No I/O, no clock, no randomness; time and chance come in as arguments.

pub mod access;
pub mod budget;
pub mod clock;
pub mod column;
pub mod commands;
pub mod id;
pub mod memory;
pub mod messages;
pub mod models;
pub mod net;
pub mod people;
pub mod places;
pub mod policy;
pub mod prompt;
pub mod quarantine;
pub mod run;
pub mod runs;
pub mod schedule;
pub mod search;
pub mod settings;
pub mod value;
pub mod work;
