//! The sections of `bot.toml` that the rooms work by, one file a section: keys, explanations, defaults and bounds.
//!
//! A room takes its section as it is. Loading, environment variables, checks across sections and secrets are the
//! business of the crate `config`.

mod budgets;
mod delivery;
mod engine;
mod ingress;
mod memory;
mod policy;
mod profile;
mod triggers;
mod units;

pub use self::{
    budgets::Budget,
    delivery::Delivery,
    engine::{Engine, PlanningGate},
    ingress::Ingress,
    memory::Memory,
    policy::Policy,
    profile::Profile,
    triggers::Triggers,
};
