//! `clifford doctor`: checks the whole setup, and says how to fix each fault.

mod local;
mod mcp;
mod remote;
mod rules;

use std::process::ExitCode;

use clifford_config::{self as config, ConfigErrors};
use serde::Serialize;
use serde_json::json;

use super::{
    examples,
    output::{self, Format, Paint, paint},
    setup::{self, Globals},
    words,
};

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford doctor",
    "clifford doctor --json | jq '.checks[] | select(.status != \"ok\")'",
    "",
    "It asks the platforms and the model provider, with one real call each. Warnings do not make it fail.",
))]
pub(super) struct Args {
    #[command(flatten)]
    format: Format,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warn,
    Fail,
}

/// One line of the report.
#[derive(Clone, Debug, Serialize)]
struct Check {
    /// The name of the check.
    check: String,
    status: Status,
    /// The result.
    found: String,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<String>,
}

impl Check {
    fn ok(check: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            check: check.into(),
            status: Status::Ok,
            found: found.into(),
            mend: None,
        }
    }

    fn warn(check: impl Into<String>, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            status: Status::Warn,
            mend: Some(mend.into()),
            ..Self::ok(check, found)
        }
    }

    fn fail(check: impl Into<String>, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            status: Status::Fail,
            ..Self::warn(check, found, mend)
        }
    }
}

/// Takes the checks as they come: a person sees each at once.
struct Report {
    checks: Vec<Check>,
    format: Format,
}

impl Report {
    fn add(&mut self, mut check: Check) -> anyhow::Result<()> {
        check.found = words::plain(&check.found);
        if !self.format.json {
            let status = match check.status {
                Status::Ok => paint(Paint::Green, "ok  "),
                Status::Warn => paint(Paint::Yellow, "warn"),
                Status::Fail => paint(Paint::Red, "fail"),
            };
            output::item(&format!("{status}  {:<9} ", check.check), &check.found)?;
            if let Some(mend) = &check.mend {
                output::item("                → ", mend)?;
            }
        }
        self.checks.push(check);
        Ok(())
    }

    fn failed(&self) -> bool {
        self.checks.iter().any(|check| check.status == Status::Fail)
    }
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let mut report = Report {
        checks: Vec::new(),
        format: args.format,
    };
    examine(globals, &mut report).await?;
    let failed = report.failed();
    if args.format.json {
        output::json(&json!({ "ok": !failed, "checks": report.checks }))?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn examine(globals: &Globals, report: &mut Report) -> anyhow::Result<()> {
    let loaded = match config::load(&globals.sources()?) {
        Ok(loaded) => loaded,
        Err(errors) => return faults(&errors, report),
    };
    let secrets = loaded.secrets(&setup::environment());
    report.add(local::settings(&loaded, secrets.as_ref().ok()))?;
    report.add(local::database(&loaded).await)?;
    if let Some(check) = local::quarantine(&loaded).await {
        report.add(check)?;
    }
    if let Some(check) = local::maintenance(&loaded).await {
        report.add(check)?;
    }
    if let Some(check) = rules::named(&loaded) {
        report.add(check)?;
    }
    report.add(local::disk(&loaded))?;
    report.add(local::worker_processes().await)?;
    let more = [
        local::permissions(&loaded),
        local::http(&loaded).await,
        local::reach(&loaded.config),
    ];
    for check in more.into_iter().flatten() {
        report.add(check)?;
    }
    match secrets {
        Ok(secrets) => {
            remote::examine(&loaded.config, &secrets, report).await?;
            mcp::examine(&loaded.config, &secrets, report).await
        }
        Err(errors) => faults(&errors, report),
    }
}

fn faults(errors: &ConfigErrors, report: &mut Report) -> anyhow::Result<()> {
    for problem in errors.problems() {
        let mend = "mend that, then run `clifford doctor` again: what depends on it was not checked";
        report.add(Check::fail("config", problem.to_string(), mend))?;
    }
    Ok(())
}
