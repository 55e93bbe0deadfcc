//! `clifford logs`: where the log of the bot is; the journal's is shown and followed.

use std::{
    os::unix::process::CommandExt,
    process::{Command, ExitCode},
};

use anyhow::bail;
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    service::{self, Scope},
    setup, words,
};

/// Arguments of `logs`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford logs                 the newest lines",
    "clifford logs --follow        and those that come",
    "clifford logs --lines 500 | grep WARN",
    "clifford logs --where         only the command that shows them",
    "",
    "A bot that is no service of systemd writes its log to standard error of the process: look where it was started.",
))]
pub(super) struct Args {
    /// Show new lines as they come, until Ctrl-C.
    #[arg(long, short)]
    follow: bool,
    /// How many lines.
    #[arg(long, short = 'n', default_value_t = 50, value_parser = words::whole::<u32>)]
    lines: u32,
    /// Show only where the log is.
    #[arg(long = "where")]
    place: bool,
    #[command(flatten)]
    format: Format,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Some((scope, _)) = service::installed(&setup::environment()).into_iter().next() else {
        if args.format.json {
            output::json(&json!({ "where": "standard error", "command": null }))?;
            return Ok(ExitCode::SUCCESS);
        }
        bail!(
            "no service is installed, so the log is on standard error of the process that runs the bot; \
             `clifford service install` makes it one with a journal"
        );
    };
    let command = journal(scope, args);
    if args.format.json {
        output::json(&json!({ "where": "journal", "command": command }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.place {
        output::print(&command.join(" "))?;
        return Ok(ExitCode::SUCCESS);
    }
    // It takes this process's place, with its terminal and its signals.
    let error = Command::new(&command[0]).args(&command[1..]).exec();
    bail!("{} cannot be started: {error}", command[0])
}

fn journal(scope: Scope, args: &Args) -> Vec<String> {
    let unit = match scope {
        Scope::System => "--unit",
        Scope::User => "--user-unit",
    };
    let lines = args.lines.to_string();
    let mut command = vec!["journalctl", unit, "clifford", "--lines", &lines, "--output", "cat"];
    if args.follow {
        command.push("--follow");
    }
    command.into_iter().map(str::to_owned).collect()
}
