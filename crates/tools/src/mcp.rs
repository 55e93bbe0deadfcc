//! Tools of MCP servers: each server of `[[tools.mcp]]` is a tool, and the server's tools are its commands.
//!
//! A server is started or connected to alongside the process, kept alive, and started again when it is gone
//! (`supervisor`). Its list of tools is read by pure rules (`catalogue`), and so are its results (`outcome`). All of it
//! is text from outside: cut, cleaned and marked as that. Besides `clifford mcp`, only this module names rmcp.
//!
//! **MCP servers.** `mcp/supervisor.rs` keeps each server of `[[tools.mcp]]` at work alongside the process, and offers
//! its tools to the registry, which holds them behind those that are built in (`offers.rs`) and withdraws them while
//! the server is away. Until the first attempt is over, and after a server that was at work is gone, its tools are
//! *expected*: a call that was recorded or approved before waits until that is settled (`Registry::settled`),
//! anything else is told. `mcp/catalogue.rs` (a server's list → commands) and `mcp/outcome.rs` (an answer → a result)
//! are pure; `mcp/connection.rs` is the I/O, over pipes to a program (`mcp/child.rs`) or HTTP (`mcp/http.rs`).
//! `clifford mcp` (`cli/mcp`) is the other way round: an MCP server that asks the HTTP API, called in its own
//! process, or that of the process that has the database.

mod catalogue;
mod checks;
mod child;
mod connection;
mod http;
mod lenient;
mod outcome;
mod pace;
mod settings;
mod supervisor;
#[cfg(test)]
mod tests;
mod wire;
mod words;

use serde::Deserialize;

pub use self::{
    catalogue::Surveyed,
    connection::About,
    settings::Endpoint,
    supervisor::{Supervisor, probe, survey},
};
use self::{connection::Link, settings::Servers};
use super::{Command, Registry, Services, Tool, ToolConfig, ToolError};

/// The most bytes of one message. A longer one is thrown away, and the call that it answers runs out of time.
const MESSAGE: usize = 4 * 1024 * 1024;
/// The section of the settings.
const SECTION: &str = "mcp";

/// The settings of the tool. The tools themselves come from the servers.
pub(super) fn tool() -> Tool {
    Tool {
        config: Some(ToolConfig {
            fault: |value, built_in| match Servers::deserialize(value) {
                Ok(servers) => servers.fault(built_in),
                Err(error) => Some(error.to_string()),
            },
            ..ToolConfig::of::<Servers>()
        }),
        ..Tool::new(SECTION, "🔌", "tools of MCP servers")
    }
}

/// The servers that are turned on, with the secrets that they are given.
pub fn endpoints(services: &Services) -> Vec<Endpoint> {
    let servers = Servers::deserialize(services.config.of(SECTION)).unwrap_or_default();
    servers.endpoints(&services.secrets)
}

/// Makes the tools of the servers known where no server is connected to: what is set for them can be seen and changed.
pub fn announce(registry: &Registry, services: &Services) {
    for endpoint in endpoints(services) {
        let about =
            "The tools of an MCP server: which they are is known where it is at work (`clifford doctor` tries it).";
        registry.announce(Tool::new(endpoint.name, "🔌", "mcp").foreign().about(about));
    }
}

/// A server's tool, made of what it offers.
fn offered(endpoint: &Endpoint, offers: Vec<catalogue::Offer>, link: &Link) -> Tool {
    let tool = Tool::new(endpoint.name.clone(), "🔌", "mcp").foreign();
    offers
        .into_iter()
        .fold(tool, |tool, offer| tool.command(command(endpoint, offer, link)))
}

fn command(endpoint: &Endpoint, offer: catalogue::Offer, link: &Link) -> Command {
    let (link, theirs) = (link.clone(), offer.theirs);
    let checks = checks::checkable(&offer.schema);
    let command = Command::with_schema(offer.name, offer.summary, offer.class, offer.schema, move |_, args| {
        let (link, theirs) = (link.clone(), theirs.clone());
        async move { outcome::read(link.call(theirs, args).await?).map_err(ToolError::TellModel) }
    });
    let command = command
        .about(offer.description)
        .checked_by(checks)
        .reaches_out()
        .time_limit(endpoint.time_limit);
    let command = if offer.is_trusted { command } else { command.untrusted() };
    if offer.idempotent {
        command.idempotent()
    } else {
        command
    }
}
