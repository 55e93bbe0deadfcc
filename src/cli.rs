//! The command line: one file per command.

mod agents;
mod ask;
mod backup;
mod bar;
mod channels;
mod chat;
mod completions;
mod config;
mod contexts;
mod db;
mod doctor;
mod erase;
mod eval;
mod export;
mod groups;
mod ids;
mod import;
mod init;
mod interrupt;
mod keys;
mod link;
mod local;
mod login;
mod logs;
mod mcp;
mod memory;
mod outbox;
mod output;
mod pair;
mod parts;
mod people;
mod policy;
mod probe;
mod quarantine;
mod restore;
mod runs;
mod scopes;
mod search;
mod serve;
mod server;
mod service;
mod settings;
mod setup;
mod spaces;
mod status;
mod token;
mod tools;
mod triggers;
mod update;
mod usage;
mod users;
mod words;

use std::{
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};
use clifford_channel::Platforms;
use clifford_telemetry::runtime;
use clifford_worker as worker;

use self::{
    output::{Closed, Format},
    setup::Globals,
};

/// How long a command that has ended waits for what it left behind.
const LINGER: Duration = Duration::from_millis(200);

/// The exit code of a command line that is no command.
const WRONG_USAGE: u8 = 2;

/// How many files a command has to be able to open. With fewer it comes to a stop in the middle: a server that is at rest
/// has some thirty open.
const LEAST_FILES: u64 = 64;

/// The exit codes, as every help names them.
const EXIT_CODES: &str = "0 done, 1 failed, 2 wrong usage";

/// The end of every help text.
macro_rules! examples {
    ($($line:literal),+ $(,)?) => {
        concat!("Examples:\n", $("  ", $line, "\n",)+ "\nExit codes: 0 done, 1 failed, 2 wrong usage")
    };
}
use examples;

/// A self-hosted AI bot for chat platforms that loses nothing.
#[derive(Debug, Parser)]
#[command(name = "clifford", version, after_help = examples!(
    "clifford                             talk to the bot here, with its dashboard and platforms",
    "clifford chat                        talk to the bot here only",
    "clifford init                        connect a chat platform and a language model",
    "clifford serve                       run the bot",
    "clifford ask \"what is 17 * 23?\"      one question, one answer",
    "clifford doctor                      find out what is wrong",
    "clifford --config other.toml serve   with another configuration",
))]
struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Connect a chat platform and a language model, and write bot.toml.
    Init(init::Args),
    /// Talk to the bot in this terminal.
    Chat(chat::Args),
    /// Ask one question; the answer is on standard output.
    Ask(ask::Args),
    /// Run the bot.
    Serve(serve::Args),
    /// Install the bot as a service of systemd.
    Service(service::Args),
    /// Show whether the bot runs, and what waits.
    Status(status::Args),
    /// Show the log of the bot.
    Logs(logs::Args),
    /// Check the setup and explain how to fix problems.
    Doctor(doctor::Args),
    /// List, follow, stop and repeat runs.
    Runs(runs::Args),
    /// List, name and close conversations.
    Contexts(contexts::Args),
    /// List channels, and turn them on and off.
    Channels(channels::Args),
    /// List the groups and servers that the bot is in.
    Spaces(spaces::Args),
    /// Search earlier messages.
    Search(search::Args),
    /// List undelivered messages, resend them, give them up.
    Outbox(outbox::Args),
    /// Show the usage of models, and its cost.
    Usage(usage::Args),
    /// List and retry work that processes died of.
    Quarantine(quarantine::Args),
    /// List people, and change their roles and settings.
    Users(users::Args),
    /// Approve people who asked to talk to the bot.
    Pair(pair::Args),
    /// Print a link that lets a person into the dashboard.
    Login(login::Args),
    /// Merge two accounts that belong to the same person.
    Link(link::Args),
    /// List and change what the bot remembers of people.
    Memory(memory::Args),
    /// Export all data of a person, of a place or of everybody.
    Export(export::Args),
    /// Import an export, or what another bot or platform has of a person.
    Import(import::Args),
    /// Delete a person and all of their data.
    Erase(erase::Args),
    /// Check and show the configuration.
    Config(config::Args),
    /// Change settings while the bot runs, for it, a place or a person.
    Settings(settings::Args),
    /// List, make and change agents, and bring earlier prompts back.
    Agents(agents::Args),
    /// Add, list and fire triggers: reminders, scheduled runs, webhooks.
    Triggers(triggers::Args),
    /// List, test and change the rules about tool calls.
    Policy(policy::Args),
    /// List tools, change their settings, and try them.
    Tools(tools::Args),
    /// Create and revoke tokens for the HTTP API.
    Token(token::Args),
    /// Manage the database.
    Db(db::Args),
    /// Write database, key and files into one archive.
    Backup(backup::Args),
    /// Put the contents of a backup in place.
    Restore(restore::Args),
    /// Install a newer release, or tell whether there is one.
    Update(update::Args),
    /// Bring the version before back.
    Rollback(update::RollbackArgs),
    /// Run golden tasks against a model, and score them.
    Eval(eval::Args),
    /// Serve MCP clients, and manage the MCP servers that the bot uses.
    Mcp(mcp::Args),
    /// Print a completion script for a shell.
    Completions(completions::Args),
    /// Print the version.
    Version(Format),
    /// Do work for another process of Clifford, which starts it.
    #[command(hide = true)]
    Worker,
}

/// Runs the command that the process was given, with the platforms that it can be on.
pub fn main(platforms: Platforms) -> ExitCode {
    let (settings, args) = setup::take_settings(std::env::args_os());
    let matches = match definition().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
            let fault = "error: an argument is not text (UTF-8); see `clifford --help`";
            // There is nobody to tell that standard error cannot be written to.
            let _ = writeln!(io::stderr(), "{fault}");
            return ExitCode::from(WRONG_USAGE);
        }
        Err(error) => words::without_wrong_hint(error).exit(),
    };
    let mut cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    cli.globals.set.extend(settings);
    cli.globals.platforms = platforms;
    // It has neither settings nor a runtime: nothing is to be there before its limits are.
    if matches!(cli.command, Some(Command::Worker)) {
        return worker::serve();
    }
    let files = runtime::raise_open_files();
    if files < LEAST_FILES {
        return failed(&anyhow::anyhow!(
            "this process may open only {files} files, and needs {LEAST_FILES} or more: raise the limit (`ulimit -n 1024`, or \
             LimitNOFILE= in a unit of systemd)"
        ));
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::anyhow!("the runtime could not be started: {error}")),
    };
    let globals = cli.globals.clone();
    let outcome = runtime.block_on(run(cli));
    runtime.shutdown_timeout(LINGER);
    outcome.unwrap_or_else(|error| failed(&words::with_rescue(&globals, error)))
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let globals = cli.globals;
    let Some(command) = cli.command else {
        return Box::pin(chat::run_all(&globals)).await;
    };
    let stops_itself = matches!(
        command,
        Command::Serve(_) | Command::Chat(_) | Command::Ask(_) | Command::Mcp(_)
    );
    let work = Box::pin(run_command(globals, command));
    match stops_itself {
        true => work.await,
        false => interrupt::until_signalled(work)
            .await
            .context("signals cannot be listened to")?,
    }
}

async fn run_command(globals: Globals, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Init(args) => Box::pin(init::run(&globals, args)).await,
        Command::Serve(args) => Box::pin(serve::run(&globals, args)).await,
        Command::Chat(args) => Box::pin(chat::run(&globals, args)).await,
        Command::Ask(args) => Box::pin(ask::run(&globals, args)).await,
        Command::Doctor(args) => Box::pin(doctor::run(&globals, args)).await,
        Command::Config(args) => config::run(&globals, args),
        Command::Db(args) => Box::pin(db::run(&globals, args)).await,
        Command::Backup(args) => Box::pin(backup::run(&globals, args)).await,
        Command::Restore(args) => Box::pin(restore::run(&globals, args)).await,
        Command::Runs(args) => Box::pin(runs::run(&globals, args)).await,
        Command::Quarantine(args) => Box::pin(quarantine::run(&globals, args)).await,
        Command::Contexts(args) => Box::pin(contexts::run(&globals, args)).await,
        Command::Search(args) => Box::pin(search::run(&globals, args)).await,
        Command::Memory(args) => Box::pin(memory::run(&globals, args)).await,
        Command::Users(args) => Box::pin(users::run(&globals, args)).await,
        Command::Settings(args) => Box::pin(settings::run(&globals, args)).await,
        Command::Usage(args) => usage::run(&globals, args).await,
        Command::Triggers(args) => Box::pin(triggers::run(&globals, args)).await,
        Command::Policy(args) => Box::pin(policy::run(&globals, args)).await,
        Command::Tools(args) => Box::pin(tools::run(&globals, args)).await,
        Command::Token(args) => token::run(&globals, args).await,
        Command::Pair(args) => pair::run(&globals, args).await,
        Command::Login(args) => login::run(&globals, args).await,
        Command::Link(args) => link::run(&globals, args).await,
        Command::Export(args) => Box::pin(export::run(&globals, args)).await,
        Command::Import(args) => Box::pin(import::run(&globals, args)).await,
        Command::Erase(args) => Box::pin(erase::run(&globals, args)).await,
        Command::Eval(args) => Box::pin(eval::run(&globals, args)).await,
        Command::Mcp(args) => Box::pin(mcp::run(&globals, args)).await,
        Command::Service(args) => service::run(&globals, args),
        Command::Status(args) => Box::pin(status::run(&globals, args)).await,
        Command::Logs(args) => logs::run(&args),
        Command::Channels(args) => Box::pin(channels::run(&globals, args)).await,
        Command::Spaces(args) => spaces::run(&globals, args).await,
        Command::Agents(args) => agents::run(&globals, args).await,
        Command::Outbox(args) => Box::pin(outbox::run(&globals, args)).await,
        Command::Update(args) => Box::pin(update::run(args)).await,
        Command::Rollback(args) => update::rollback(&args),
        Command::Version(format) => version(format),
        Command::Completions(args) => completions::run(args, definition()),
        Command::Worker => Ok(worker::serve()),
    }
}

fn version(format: Format) -> anyhow::Result<ExitCode> {
    let version = env!("CARGO_PKG_VERSION");
    if format.json {
        output::json(&serde_json::json!({ "version": version }))?;
    } else {
        output::print(&format!("clifford {version}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what went wrong, a line for each fault, on standard error.
fn failed(error: &anyhow::Error) -> ExitCode {
    if error.is::<Closed>() {
        return ExitCode::SUCCESS;
    }
    let text = words::plain(&format!("{error:#}"));
    let text = clifford_markup::for_terminal(&text);
    let mut out = io::stderr().lock();
    for line in text.lines() {
        // There is nobody to tell that standard error cannot be written to.
        let _ = writeln!(out, "clifford: {line}");
    }
    ExitCode::FAILURE
}

/// The definition of the command line, its help with the commands by what they are for.
pub(crate) fn definition() -> clap::Command {
    groups::grouped(with_negative_numbers(Cli::command()))
}

/// Gives each option a number below zero as its value, so that what reads the value says what is wrong with it.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes = |arg: clap::Arg| match arg.is_positional() || !arg.get_action().takes_values() {
        true => arg,
        false => arg.allow_negative_numbers(true),
    };
    command.mut_args(takes).mut_subcommands(with_negative_numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        definition().debug_assert();
    }
}
