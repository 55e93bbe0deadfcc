//! `clifford service`: the bot as a service of systemd, of the machine or of one person.

mod unit;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command as Process, ExitCode, Stdio},
};

use anyhow::{Context, bail};
use clifford_config::Origin;
use serde_json::json;

pub(super) use self::unit::{Scope, installed};
use super::{
    examples,
    output::{self, Format},
    setup::{self, Globals},
};

/// Arguments of `service`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford service install              a service of yours; it runs while you are logged in",
    "clifford service install --dry-run    show the unit and the steps, and do nothing",
    "sudo clifford service install --system --config /etc/clifford/bot.toml",
    "clifford service status",
    "clifford service uninstall",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Write the unit, enable it and start it.
    Install {
        /// A service of the machine, which starts with it; needs root.
        #[arg(long)]
        system: bool,
        /// Only show the unit and the steps.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        format: Format,
    },
    /// Stop the service and remove its unit; data and settings stay.
    Uninstall {
        /// The service of the machine; needs root.
        #[arg(long)]
        system: bool,
        /// Only show the steps.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        format: Format,
    },
    /// Show whether a unit is installed, enabled and running.
    Status(Format),
}

pub(super) fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::Install {
            system,
            dry_run,
            format,
        } => install(globals, Scope::of(system), dry_run, format),
        Command::Uninstall {
            system,
            dry_run,
            format,
        } => uninstall(Scope::of(system), dry_run, format),
        Command::Status(format) => status(format),
    }
}

fn install(globals: &Globals, scope: Scope, dry_run: bool, format: Format) -> anyhow::Result<ExitCode> {
    let env = setup::environment();
    let loaded = globals.load()?;
    let binary = std::env::current_exe().context("the path of this program cannot be found")?;
    let config = match &loaded.origin {
        Origin::File(path) => {
            Some(fs::canonicalize(path).with_context(|| format!("{} cannot be found", path.display()))?)
        }
        Origin::Defaults => None,
    };
    let path = scope.path(&env)?;
    let text = unit::text(scope, &binary, config.as_deref())?;
    let steps = [
        scope.systemctl(&["daemon-reload"]),
        scope.systemctl(&["enable", "--now", unit::NAME]),
    ];
    let report = || json!({ "scope": scope.as_str(), "unit": path, "text": text, "steps": steps, "done": !dry_run });
    if dry_run {
        if format.json {
            output::json(&report())?;
            return Ok(ExitCode::SUCCESS);
        }
        output::print(&format!("# {}\n{text}", path.display()))?;
        return print_steps(&steps);
    }
    write(&path, &text)?;
    if format.json {
        perform(&steps, format)?;
        output::json(&report())?;
        return Ok(ExitCode::SUCCESS);
    }
    output::print(&format!("{} is written.", path.display()))?;
    perform(&steps, format)?;
    let more = match scope {
        Scope::System => "Tokens go into /etc/clifford/environment, a line each.",
        Scope::User => {
            "Tokens go into the file `environment` beside bot.toml, a line each. `loginctl enable-linger` lets it run \
             while you are not logged in."
        }
    };
    output::print(&format!(
        "Clifford runs as a service. {more}\n`clifford logs --follow` shows its log."
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn uninstall(scope: Scope, dry_run: bool, format: Format) -> anyhow::Result<ExitCode> {
    let path = scope.path(&setup::environment())?;
    if !path.exists() {
        bail!(
            "there is no unit at {}; `clifford service status` shows what is installed",
            path.display()
        );
    }
    let stop = [scope.systemctl(&["disable", "--now", unit::NAME])];
    let reload = [scope.systemctl(&["daemon-reload"])];
    let steps: Vec<_> = stop.iter().chain(&reload).collect();
    let report = || json!({ "scope": scope.as_str(), "unit": path, "steps": steps, "done": !dry_run });
    if dry_run && format.json {
        output::json(&report())?;
        return Ok(ExitCode::SUCCESS);
    }
    if dry_run {
        print_steps(&stop)?;
        output::print(&format!("rm {}", path.display()))?;
        return print_steps(&reload);
    }
    perform(&stop, format)?;
    fs::remove_file(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
    perform(&reload, format)?;
    if format.json {
        output::json(&report())?;
        return Ok(ExitCode::SUCCESS);
    }
    output::print(&format!(
        "{} is removed; data and settings are as they were.",
        path.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Shows the steps that would be taken.
fn print_steps(steps: &[Vec<String>]) -> anyhow::Result<ExitCode> {
    for step in steps {
        output::print(&step.join(" "))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes the steps, each of which is shown to a person.
fn perform(steps: &[Vec<String>], format: Format) -> anyhow::Result<()> {
    for step in steps {
        if !format.json {
            output::print(&format!("  {}", step.join(" ")))?;
        }
        let Some((program, args)) = step.split_first() else {
            continue;
        };
        let mut process = Process::new(program);
        if format.json {
            process.stdout(Stdio::null());
        }
        let status = process.args(args).status();
        let status =
            status.with_context(|| format!("{program} cannot be started; is systemd the init of this machine?"))?;
        if !status.success() {
            bail!("`{}` failed ({status})", step.join(" "));
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let explain = || {
        format!(
            "{} cannot be written; a service of the machine needs root",
            path.display()
        )
    };
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).with_context(explain)?;
    }
    fs::write(path, text).with_context(explain)
}

fn status(format: Format) -> anyhow::Result<ExitCode> {
    let env = setup::environment();
    let found: Vec<(Scope, PathBuf)> = installed(&env);
    let states: Vec<_> = found
        .iter()
        .map(|(scope, path)| (scope, path, scope.ask("is-enabled"), scope.ask("is-active")))
        .collect();
    if format.json {
        let units: Vec<_> = states
            .iter()
            .map(|(scope, path, enabled, active)| {
                json!({ "scope": scope.as_str(), "unit": path, "enabled": enabled, "active": active })
            })
            .collect();
        output::json(&units)?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows = states
        .into_iter()
        .map(|(scope, path, enabled, active)| [scope.as_str().to_owned(), path.display().to_string(), enabled, active])
        .collect();
    output::table(
        ["SCOPE", "UNIT", "ENABLED", "ACTIVE"],
        rows,
        "no service is installed; `clifford service install` does it",
    )?;
    Ok(ExitCode::SUCCESS)
}
