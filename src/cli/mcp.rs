//! `clifford mcp`: Clifford as an MCP server, over standard input and output. Besides `tools::mcp` the only place
//! that names rmcp.

mod server;
mod way;

use std::process::ExitCode;

use anyhow::Context;
use clifford_telemetry as telemetry;
use rmcp::service::{ServerInitializeError, serve_server};

use self::{server::Clifford, way::Way};
use super::{examples, serve::Stops, setup::Globals};

/// Arguments of `mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford mcp                                          started by an MCP client, not by hand",
    "claude mcp add clifford -- clifford mcp               one such client, told of it",
    "{\"mcpServers\": {\"clifford\": {\"command\": \"clifford\", \"args\": [\"mcp\"]}}}",
    "",
    "Standard output carries the protocol and nothing else; the log is on standard error. Beside a running server on",
    "SQLite it speaks to that one's HTTP API, with the token in CLIFFORD_API_TOKEN. A person's token shows theirs alone.",
))]
pub(super) struct Args {}

pub(super) async fn run(globals: &Globals, _: Args) -> anyhow::Result<ExitCode> {
    let (loaded, secrets) = globals.load_with_secrets()?;
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let mut stops = Stops::listen()?;
    let (way, app) = Way::open(&loaded, &secrets).await?;
    let pipes = (tokio::io::stdin(), tokio::io::stdout());
    let served = tokio::select! {
        served = serve(Clifford::new(way), pipes) => served,
        () = stops.next() => Ok(()),
    };
    if let Some(app) = app {
        app.shutdown().await;
    }
    served.map(|()| ExitCode::SUCCESS)
}

/// Serves one client, until it lets go.
async fn serve(clifford: Clifford, pipes: (tokio::io::Stdin, tokio::io::Stdout)) -> anyhow::Result<()> {
    let running = match serve_server(clifford, pipes).await {
        Ok(running) => running,
        // A client that disconnects before its first message wants nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error).context("what came on standard input is not MCP: an MCP client starts this"),
    };
    running.waiting().await.context("the server broke down")?;
    Ok(())
}
