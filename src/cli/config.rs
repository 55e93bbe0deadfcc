//! `clifford config`: checks and shows the configuration.

use std::process::ExitCode;

use anyhow::bail;
use clifford_config::{self as config, Loaded, Origin};
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    setup::{self, Globals},
};
use crate::app::{self, StartError};

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

fn check(globals: &Globals, format: Format) -> anyhow::Result<ExitCode> {
    let outcome = config::load(&globals.sources()?).and_then(|loaded| {
        let secrets = loaded.secrets(&setup::environment())?;
        let refusals = app::refusals(&loaded, &secrets);
        Ok((loaded, refusals))
    });
    let outcome = match outcome {
        Ok((loaded, refusals)) if refusals.is_empty() => Ok(loaded),
        Ok((_, refusals)) => return refused(&refusals, format),
        Err(errors) => Err(errors),
    };
    match (outcome, format.json) {
        (Ok(loaded), true) => {
            output::json(&json!({ "ok": true, "origin": origin(&loaded), "hints": loaded.hints, "problems": [] }))?;
        }
        (Ok(loaded), false) => {
            let mut lines = vec![format!("{}: in order", origin(&loaded))];
            lines.extend(loaded.hints);
            output::print(&lines.join("\n"))?;
        }
        (Err(errors), true) => {
            let problems: Vec<_> = errors
                .problems()
                .iter()
                .map(|problem| {
                    let place = problem.place.as_ref().map(ToString::to_string);
                    json!({ "place": place, "key": problem.key, "fault": problem.fault })
                })
                .collect();
            output::json(&json!({ "ok": false, "problems": problems }))?;
            return Ok(ExitCode::FAILURE);
        }
        (Err(errors), false) => return Err(errors.into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells what a server would refuse, although the file is in order.
fn refused(refusals: &[StartError], format: Format) -> anyhow::Result<ExitCode> {
    let faults: Vec<_> = refusals.iter().map(ToString::to_string).collect();
    if !format.json {
        bail!(faults.join("\n"));
    }
    let problems: Vec<_> = faults
        .iter()
        .map(|fault| json!({ "place": null, "key": null, "fault": fault }))
        .collect();
    output::json(&json!({ "ok": false, "problems": problems }))?;
    Ok(ExitCode::FAILURE)
}

/// Where the settings come from, in words.
pub(super) fn origin(loaded: &Loaded) -> String {
    match &loaded.origin {
        Origin::File(path) => path.display().to_string(),
        Origin::Defaults => "defaults and environment (no bot.toml)".to_owned(),
    }
}
