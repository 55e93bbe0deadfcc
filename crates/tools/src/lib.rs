//! Tools: the commands that a model may call. A tool is one file and one line in [`registry::built_in`].
//!
//! **Settings of a tool** are laid over `bot.toml` field by field: the bot's, the space's, the channel's, the agent's,
//! the person's (`options.rs`). Whether a command can do its work (`needs`) is asked of the same options, where a
//! prompt, a list or a call needs to know; so a call is judged only if it could be made. The rows are `settings` named
//! `tool.NAME.FIELD` and come with the same trip that reads a run's memory and conversation, so a run that calls no
//! tool pays nothing for them. `settings/tool_options.rs` says what may be set, by the schema of the tool's own type,
//! and where each value comes from.

mod audio;
mod common;
mod compute;
mod context;
#[cfg(test)]
mod dice;
mod files;
mod image;
mod isolates;
mod kept;
pub mod mcp;
mod memory;
pub mod named;
mod offers;
mod options;
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
mod toolbox;
mod tools;
pub mod trial;
pub mod triggers;
pub mod undoing;
mod weather;
mod web;

pub use audio::{AudioServer, Speech, TRANSCRIBE, Transcription, WithKey, recorded, speak};
pub use clifford_core::policy::class::Class;
pub use common::Common;
pub use context::{About, Origins, Services, ToolContext};
pub use image::shown;
pub use isolates::Isolates;
pub use offers::{Server, ServerState};
pub use options::Options;
pub use paid::{Pays, Price, Purchase};
pub use registry::{Called, Registry, Visible};
pub use settings::ToolSettings;
use settings::{fields, is_secret};
pub use tool::{Command, Needs, Tool, ToolConfig, ToolError};
pub use toolbox::Toolbox;
