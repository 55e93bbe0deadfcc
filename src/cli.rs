//! The command line: one file per command.

mod ask;
mod by_hand;
mod chat;
mod completions;
mod config;
mod contexts;
mod db;
mod doctor;
mod erase;
mod eval;
mod export;
mod init;
mod keys;
mod link;
mod mcp;
mod memory;
mod output;
mod pair;
mod people;
mod policy;
mod probe;
mod quarantine;
mod runs;
mod search;
mod serve;
mod settings;
mod setup;
mod token;
mod tools;
mod triggers;
mod usage;
mod users;

use std::{
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};

use clap::{CommandFactory, Parser, Subcommand};
use clifford_channel::Platforms;
use clifford_worker as worker;

use self::{output::Closed, setup::Globals};

/// How long a command that has ended waits for what it left behind.
const LINGER: Duration = Duration::from_millis(200);

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
    "clifford                             talk to the bot here; be on every platform that a token is set for",
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
    /// Writes bot.toml: asks for what is needed, and checks each token as it is typed.
    Init(init::Args),
    /// Runs the bot.
    Serve(serve::Args),
    /// Talks to the bot in this terminal; needs no server.
    Chat(chat::Args),
    /// Asks one question; the answer is on standard output.
    Ask(ask::Args),
    /// Checks everything that Clifford needs, and says how to mend what is wrong.
    Doctor(doctor::Args),
    /// Checks and shows the configuration.
    Config(config::Args),
    /// Looks after the database.
    Db(db::Args),
    /// Looks at runs, stops them and does them again.
    Runs(runs::Args),
    /// Lists what was set aside because processes died of it, and has it tried again.
    Quarantine(quarantine::Args),
    /// Lists, names and closes conversations.
    Contexts(contexts::Args),
    /// Looks for what was said before.
    Search(search::Args),
    /// Looks at what is remembered of people, and changes it.
    Memory(memory::Args),
    /// Lists people, and changes what they may do.
    Users(users::Args),
    /// Changes what is set while running, for the bot, a space, a channel or a person.
    Settings(settings::Args),
    /// Shows what models were used for, and what that cost.
    Usage(usage::Args),
    /// Makes, lists and fires triggers: reminders, runs by the clock, webhooks.
    Triggers(triggers::Args),
    /// Looks at the rules about tool calls, and changes them.
    Policy(policy::Args),
    /// Lists the tools, sets what can be set for them, and tries them.
    Tools(tools::Args),
    /// Makes and revokes tokens for the HTTP API.
    Token(token::Args),
    /// Lets people in who asked to talk to the bot.
    Pair(pair::Args),
    /// Makes two people that are one into one.
    Link(link::Args),
    /// Writes all that is kept of a person, or of everybody, as JSON Lines.
    Export(export::Args),
    /// Deletes a person with every trace.
    Erase(erase::Args),
    /// Runs golden tasks against a model, and scores them.
    Eval(eval::Args),
    /// Serves other programs over MCP: they send messages, list runs and read what happened in them.
    Mcp(mcp::Args),
    /// Prints a completion script for a shell.
    Completions(completions::Args),
    /// Does work for another process of Clifford, which starts it.
    #[command(hide = true)]
    Worker,
}

/// Runs the command that the process was given, with the platforms that it can be on.
pub fn main(platforms: Platforms) -> ExitCode {
    let (settings, args) = setup::take_settings(std::env::args_os());
    let mut cli = Cli::parse_from(args);
    cli.globals.set.extend(settings);
    cli.globals.platforms = platforms;
    // It has neither settings nor a runtime: nothing is to be there before its limits are.
    if matches!(cli.command, Some(Command::Worker)) {
        return worker::serve();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::anyhow!("the runtime could not be started: {error}")),
    };
    let outcome = runtime.block_on(run(cli));
    runtime.shutdown_timeout(LINGER);
    outcome.unwrap_or_else(|error| failed(&error))
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let globals = cli.globals;
    let Some(command) = cli.command else {
        return Box::pin(chat::run_all(&globals)).await;
    };
    match command {
        Command::Init(args) => Box::pin(init::run(&globals, args)).await,
        Command::Serve(args) => Box::pin(serve::run(&globals, args)).await,
        Command::Chat(args) => Box::pin(chat::run(&globals, args)).await,
        Command::Ask(args) => Box::pin(ask::run(&globals, args)).await,
        Command::Doctor(args) => Box::pin(doctor::run(&globals, args)).await,
        Command::Config(args) => config::run(&globals, args),
        Command::Db(args) => db::run(&globals, args).await,
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
        Command::Link(args) => link::run(&globals, args).await,
        Command::Export(args) => export::run(&globals, args).await,
        Command::Erase(args) => Box::pin(erase::run(&globals, args)).await,
        Command::Eval(args) => Box::pin(eval::run(&globals, args)).await,
        Command::Mcp(args) => Box::pin(mcp::run(&globals, args)).await,
        Command::Completions(args) => completions::run(args, Cli::command()),
        Command::Worker => Ok(worker::serve()),
    }
}

/// Says what went wrong, a line for each fault, on standard error.
fn failed(error: &anyhow::Error) -> ExitCode {
    if error.is::<Closed>() {
        return ExitCode::SUCCESS;
    }
    let text = format!("{error:#}");
    let text = clifford_markup::for_terminal(&text);
    let mut out = io::stderr().lock();
    for line in text.lines() {
        // There is nobody to tell that standard error cannot be written to.
        let _ = writeln!(out, "clifford: {line}");
    }
    ExitCode::FAILURE
}

/// The definition of the command line.
#[cfg(test)]
pub(crate) fn definition() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
