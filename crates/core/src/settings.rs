//! The sections of `bot.toml` that the rooms work by, one file a section: keys, explanations, defaults and bounds.
//!
//! A room takes its section as it is. Loading, environment variables, checks across sections and secrets are the
//! business of the crate `config`.

mod agent;
mod budgets;
mod database;
mod delivery;
mod engine;
mod files;
mod ingress;
mod memory;
mod policy;
mod profile;
mod retention;
mod triggers;
mod units;

pub use self::{
    agent::Agent,
    budgets::{Budget, BudgetPeriod, BudgetScope},
    database::{Database, Synchronous},
    delivery::Delivery,
    engine::{Engine, PlanningGate},
    files::{FileStore, Files},
    ingress::{Ingress, RateLimit, RatePeriod, RateScope},
    memory::Memory,
    policy::{OnDeny, Policy},
    profile::Profile,
    retention::Retention,
    triggers::Triggers,
};
