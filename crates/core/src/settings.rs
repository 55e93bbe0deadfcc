//! The sections of `bot.toml` that the rooms work by, one file a section: keys, explanations, defaults and bounds.
//!
//! A room takes its section as it is. Loading, environment variables, checks across sections and secrets are the
//! business of the crate `config`.

mod budgets;
mod ingress;
mod memory;
mod policy;
mod triggers;
mod units;

pub use self::{budgets::Budget, ingress::Ingress, memory::Memory, policy::Policy, triggers::Triggers};
