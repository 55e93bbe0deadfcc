//! The run engine: a loop in which a model answers with one action at a time, and the engine carries it out.
//!
//! In `clifford_core::run`, `state` folds steps into what a run knows, `decide` holds the rules and `effects` what each
//! decision writes; the three see no clock, database or network. `run::perform` does the I/O around them.
//!
//! [`Context`] stands at the bottom: the database, the clock, the models, and what else a run, a job or a trigger works
//! with. [`Runs`] stands above: the runs that this process works on, with their permits and cancellations. A run starts
//! others through [`run::Starter`]; code that needs the database alone takes the database.

pub mod ambient;
mod budget;
pub mod by_hand;
mod context;
pub mod events;
pub mod jobs;
pub mod memory;
pub mod models;
mod process;
pub mod run;
mod runs;
pub mod scheduler;
pub mod triggers;
pub mod work;

pub use crate::{
    context::{Context, EngineSettings, Notifiers},
    runs::{
        Runs,
        control::{retry_from_outside, submit_from_outside},
    },
};
