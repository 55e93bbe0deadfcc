//! `clifford chat`: the bot in this terminal, with the engine in this process.

use std::{process::ExitCode, sync::Arc};

use clifford_channel::Channel;
use clifford_terminal::{Terminal, TerminalConfig};

use super::{
    examples,
    setup::{self, Globals},
};
use crate::{app::Options, telemetry};

/// Arguments of `chat`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford chat",
    "clifford chat --quiet",
    "printf 'my cat is called Miro\\nwhat is my cat called?\\n' | clifford chat --quiet",
))]
pub(super) struct Args {
    /// Shows answers only: no notes, tools or cost.
    #[arg(long)]
    quiet: bool,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let (loaded, secrets) = globals.load_with_secrets()?;
    telemetry::init_quiet(&loaded.config.log, &secrets)?;
    let settings = TerminalConfig {
        speaker: setup::LOCAL_SPEAKER.to_owned(),
        quiet: args.quiet,
        clock: Arc::new(jiff::Timestamp::now),
    };
    let terminal = Arc::new(Terminal::stdio(settings)?);
    let options = Options {
        channels: false,
        workers: true,
        terminal: Some(Arc::clone(&terminal) as Arc<dyn Channel>),
    };
    let app = setup::start(&loaded, &secrets, options).await?;
    let ingress = Arc::clone(&app.gatekeeper) as Arc<dyn clifford_channel::Ingress>;
    let ended = tokio::select! {
        ended = terminal.receive(ingress, app.stop.clone()) => ended,
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    app.shutdown().await;
    ended?;
    Ok(ExitCode::SUCCESS)
}
