//! Tools: what a model may call. A tool is one file and one line in [`registry::built_in`].

mod compute;
mod context;
mod files;
mod image;
mod memory;
mod provider;
pub mod registry;
mod retrieval;
mod settings;
mod system;
mod tool;
#[expect(clippy::module_inception, reason = "the tools that tell of tools")]
mod tools;

pub use context::{Origins, Services, ToolContext};
pub use registry::{Called, Registry, Visible};
pub use settings::ToolSettings;
pub use tool::{Class, Command, Needs, Tool, ToolConfig, ToolError};
