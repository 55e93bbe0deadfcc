//! `clifford eval`: golden tasks, each through the real engine with a database of its own, scored.

mod checks;
mod disliked;
mod play;
mod task;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, bail};
use clifford_config::ProviderKind;
use clifford_telemetry as telemetry;
use serde::Serialize;

use self::task::Task;
use super::{
    examples,
    output::{self, Format, Paint, paint},
    setup::Globals,
    words,
};

/// Arguments of `eval`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford eval eval/simple.jsonl",
    "clifford eval eval/simple.jsonl --provider local --at-least 8",
    "clifford eval eval/simple.jsonl --only calculate --json",
    "clifford eval own.jsonl --add-disliked",
))]
pub(super) struct Args {
    /// The tasks, a JSON object a line.
    file: PathBuf,
    /// Only this provider, by its name; otherwise as the configuration says.
    #[arg(long)]
    provider: Option<String>,
    /// Only the tasks whose names hold this.
    #[arg(long)]
    only: Option<String>,
    /// The number of tasks that must pass [default: all].
    #[arg(long, value_name = "N", value_parser = words::whole::<usize>)]
    at_least: Option<usize>,
    /// Add a task to the file for each answer that was disliked and has none there, and play nothing.
    #[arg(long, conflicts_with_all = ["provider", "only", "at_least"])]
    add_disliked: bool,
    #[command(flatten)]
    format: Format,
}

/// The result of one task.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Score {
    name: String,
    passed: bool,
    /// The expectations that it missed.
    faults: Vec<String>,
    answer: String,
    tool_calls: Vec<String>,
    model_calls: i64,
    tokens: i64,
    seconds: f64,
}

/// The results of all tasks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    passed: usize,
    of: usize,
    needed: usize,
    tasks: Vec<Score>,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    if args.add_disliked {
        return disliked::add(globals, &args.file, args.format).await;
    }
    let text =
        std::fs::read_to_string(&args.file).with_context(|| format!("{} cannot be read", args.file.display()))?;
    // Editors put a byte order mark in front.
    let text = text.trim_start_matches('\u{feff}');
    let mut tasks = task::read(text).with_context(|| args.file.display().to_string())?;
    if let Some(only) = &args.only {
        tasks.retain(|task| task.name.contains(only));
    }
    if tasks.is_empty() {
        match &args.only {
            Some(only) => bail!("no task of {} has a name that holds `{only}`", args.file.display()),
            None => bail!(
                "{} has no tasks: write a JSON object a line, as eval/simple.jsonl does",
                args.file.display()
            ),
        }
    }
    let (loaded, secrets) = globals.load_with_secrets()?;
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let mut scores = Vec::new();
    for task in &tasks {
        let score = Box::pin(play::task(globals, args.provider.as_deref(), task)).await?;
        tell(&score, args.format)?;
        scores.push(score);
    }
    let report = Report {
        passed: scores.iter().filter(|score| score.passed).count(),
        of: scores.len(),
        needed: args.at_least.unwrap_or(scores.len()),
        tasks: scores,
    };
    if args.format.json {
        output::json(&report)?;
    } else {
        output::print(&format!(
            "\n{} of {} passed; {} needed",
            report.passed, report.of, report.needed
        ))?;
        let providers = loaded.config.llm.providers.iter();
        let mut answering = providers.filter(|one| args.provider.as_ref().is_none_or(|name| *name == one.name));
        if answering.all(|provider| provider.kind == ProviderKind::Offline) {
            let note = "The offline responder answered, which is no language model: these tasks are for one.";
            output::item("", &paint(Paint::Dim, note))?;
        }
    }
    Ok(if report.passed >= report.needed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// One line a task as soon as it is done, and what was wrong below it.
fn tell(score: &Score, format: Format) -> anyhow::Result<()> {
    if format.json {
        return Ok(());
    }
    let word = match score.passed {
        true => paint(Paint::Green, "pass"),
        false => paint(Paint::Red, "FAIL"),
    };
    output::print(&format!(
        "{word}  {:<32} {:>13}  {:>13}  {:>6.1} s",
        score.name,
        output::count(score.model_calls, "model call", None),
        output::count(score.tokens, "token", None),
        score.seconds
    ))?;
    for fault in &score.faults {
        output::print(&format!("      {fault}"))?;
    }
    if !score.passed {
        output::print(&format!("      it answered: {}", output::head(&score.answer, 200)))?;
    }
    Ok(())
}
