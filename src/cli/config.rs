//! `clifford config`: checks and shows the configuration.

use std::process::ExitCode;

use anyhow::bail;
use clifford_config::{self as config, Examined, Loaded, Origin, Problem, Secrets};
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    setup::Globals,
};
use crate::{app, features};

/// Arguments of `config`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford config check",
    "clifford config show --json",
    "clifford config schema > bot.schema.json",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check the configuration, secrets included, and name every fault.
    Check(Format),
    /// Print the settings in force, as TOML; secrets stay hidden.
    Show(Format),
    /// Print the JSON schema of bot.toml, for editors.
    Schema,
}

pub(super) fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::Check(format) => check(globals, format),
        Command::Show(format) => {
            let loaded = globals.load()?;
            if format.json {
                output::json(&loaded.config)?;
            } else {
                output::print(&format!("# {}\n{}", origin(&loaded), loaded.config.show()))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Schema => {
            output::json(&config::schema(globals.platforms))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Tells every fault that would keep a server from starting, all of them at once.
fn check(globals: &Globals, format: Format) -> anyhow::Result<ExitCode> {
    let Examined { found, mut problems } = config::examine(&globals.sources()?);
    if let Some((loaded, secrets)) = &found {
        problems.extend(refused(loaded, secrets, &problems));
    }
    match (found.filter(|_| problems.is_empty()), format.json) {
        (Some((loaded, _)), true) => {
            output::json(&json!({ "ok": true, "origin": origin(&loaded), "hints": loaded.hints, "problems": [] }))?;
        }
        (Some((loaded, _)), false) => {
            output::print(&format!("{}: in order", origin(&loaded)))?;
            for hint in &loaded.hints {
                output::item("", hint)?;
            }
        }
        (None, true) => {
            let problems: Vec<_> = problems
                .iter()
                .map(|problem| {
                    let place = problem.place.as_ref().map(ToString::to_string);
                    json!({ "place": place, "key": problem.key, "fault": problem.fault })
                })
                .collect();
            output::json(&json!({ "ok": false, "problems": problems }))?;
            return Ok(ExitCode::FAILURE);
        }
        (None, false) => {
            let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
            bail!(lines.join("\n"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Refusals of a server, although the file is in order. A section that has a fault already is not tried.
fn refused(loaded: &Loaded, secrets: &Secrets, problems: &[Problem]) -> Vec<Problem> {
    let is_in_order = |section: &str| {
        let mut keys = problems.iter().map(|problem| problem.key.split(['.', '[']).next());
        keys.all(|first| first != Some(section))
    };
    let mut found: Vec<_> = app::refusals(loaded, secrets)
        .iter()
        .filter(|refusal| is_in_order(refusal.section()))
        .map(|refusal| Problem {
            place: None,
            key: String::new(),
            fault: refusal.to_string(),
        })
        .collect();
    if let Err(error) = features::traces_refused(loaded.config.telemetry.otlp_endpoint.as_ref()) {
        found.push(Problem {
            place: None,
            key: String::new(),
            fault: format!("{error:#}"),
        });
    }
    found
}

/// Where the settings come from, in words.
pub(super) fn origin(loaded: &Loaded) -> String {
    match &loaded.origin {
        Origin::File(path) => path.display().to_string(),
        Origin::Defaults => "defaults and environment (no bot.toml)".to_owned(),
    }
}
