//! Tools: what a model may call. A tool is one file and one line in [`registry::built_in`].

mod common;
mod compute;
mod context;
#[cfg(test)]
mod dice;
mod files;
mod image;
mod isolates;
pub mod kept;
pub mod mcp;
mod memory;
mod offers;
pub mod options;
mod paid;
pub mod platforms;
mod provider;
pub mod registry;
mod reminders;
mod retrieval;
mod service;
pub mod settings;
mod system;
mod tool;
mod tools;
pub mod trial;
pub mod triggers;
mod weather;
mod web;

pub use clifford_core::policy::class::Class;
pub use common::Common;
pub use context::{About, Origins, Services, ToolContext};
pub use image::seen;
pub use isolates::Isolates;
pub use options::Options;
pub use paid::{Pays, Price, Purchase};
pub use registry::{Called, Registry, Visible};
pub use settings::{ToolSettings, fields, is_secret};
pub use tool::{Command, Needs, Tool, ToolConfig, ToolError};
