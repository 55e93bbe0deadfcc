//! Tools: what a model may call. A tool is one file and one line in [`Registry::built_in`].

mod compute;
mod context;
mod memory;
mod registry;
mod system;
mod tool;
#[expect(clippy::module_inception, reason = "the tools that tell of tools")]
mod tools;

pub use context::ToolContext;
pub use registry::Registry;
pub use tool::{Class, Command, Tool, ToolError};
