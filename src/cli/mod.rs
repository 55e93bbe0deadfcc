//! The command line: one file per command.

mod ask;
mod chat;
mod serve;
mod setup;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

/// A self-hosted AI bot for chat platforms that loses nothing.
#[derive(Debug, Parser)]
#[command(name = "clifford", version)]
struct Cli {
    /// The configuration file [default: bot.toml here, else in the configuration directory].
    #[arg(long, global = true, value_name = "PATH")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the bot.
    Serve(serve::Args),
    /// Talks to the bot in this terminal.
    Chat(chat::Args),
    /// Asks one question; the answer is on standard output.
    Ask(ask::Args),
}

/// Runs the command that the process was given.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::anyhow!("the runtime could not be started: {error}")),
    };
    let outcome = runtime.block_on(async {
        match cli.command {
            Command::Serve(args) => serve::run(cli.config, args).await,
            Command::Chat(args) => chat::run(cli.config, args).await,
            Command::Ask(args) => ask::run(cli.config, args).await,
        }
    });
    outcome.unwrap_or_else(|error| failed(&error))
}

#[expect(clippy::print_stderr, reason = "errors of a command belong on standard error")]
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("clifford: {error:#}");
    ExitCode::FAILURE
}
