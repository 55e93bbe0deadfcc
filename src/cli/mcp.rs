//! `clifford mcp`: Clifford as an MCP server, over standard input and output; with a subcommand, the servers whose tools
//! it uses. Besides `tools::mcp` the only place that names rmcp.

mod add;
mod file;
mod server;
mod servers;
mod way;

use std::process::ExitCode;

use anyhow::Context;
use clifford_telemetry as telemetry;
use rmcp::service::{ServerInitializeError, serve_server};

use self::{server::Clifford, way::Way};
use super::{examples, output::Format, serve::Stops, setup::Globals};

/// Arguments of `mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford mcp                                          started by an MCP client, not by hand",
    "claude mcp add clifford -- clifford mcp               adds it to such a client",
    "{\"mcpServers\": {\"clifford\": {\"command\": \"clifford\", \"args\": [\"mcp\"]}}}",
    "clifford mcp add disk --command npx -- -y @modelcontextprotocol/server-filesystem /srv/files",
    "clifford mcp add tracker --url https://mcp.example.com/mcp --token-env TRACKER_TOKEN --yes --class 'send_*=SENSITIVE'",
    "clifford mcp list",
    "clifford mcp remove tracker",
    "",
    "Standard output carries the protocol and nothing else; the log is on standard error. Beside a running server on",
    "SQLite it speaks to that one's HTTP API. With a person's token in CLIFFORD_API_TOKEN it shows only their data.",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Connect a server: show what its tools may do, ask where it does not say so, and write it into bot.toml.
    Add(Box<add::Args>),
    /// List the servers of the settings.
    List(Format),
    /// Take a server out of bot.toml.
    Remove {
        /// Its name.
        name: String,
        #[command(flatten)]
        format: Format,
    },
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        None => Box::pin(serve_client(globals)).await,
        Some(Command::Add(args)) => add::run(globals, *args).await.map(|()| ExitCode::SUCCESS),
        Some(Command::List(format)) => servers::list(globals, format).map(|()| ExitCode::SUCCESS),
        Some(Command::Remove { name, format }) => servers::remove(globals, &name, format).map(|()| ExitCode::SUCCESS),
    }
}

async fn serve_client(globals: &Globals) -> anyhow::Result<ExitCode> {
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
