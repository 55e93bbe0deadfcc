//! `clifford runs rerun`: a run once more from one of its steps on, next to what was recorded.

use std::{sync::Arc, time::Duration};

use clifford_core::run::{
    comparison::Pair,
    rerun::{Effect, RerunEnd},
    step::{Step, deleted_at},
};
use clifford_engine::run::rerun::{OtherPrompt, RerunReport, RerunRequest, rerun};
use clifford_store::runs::steps;
use clifford_telemetry as telemetry;
use clifford_worker::Workers;
use serde_json::{Value, json};
use tokio::signal::unix::SignalKind;

use super::{Which, words};
use crate::{
    app::{App, Options},
    cli::{
        interrupt,
        output::{self, Paint, paint},
        setup::{self, Globals},
        words as arguments,
    },
};

/// How long to wait for the tools of MCP servers.
const TOOLS: Duration = Duration::from_secs(20);
/// The most characters of a step.
const LONGEST: usize = 400;

/// Arguments of `runs rerun`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
    /// The step from which on the model is asked once more, as `clifford runs show` numbers it; without it, the first
    /// request to the model.
    #[arg(long, value_name = "STEP", value_parser = arguments::up_to::<1_000_000>)]
    from: Option<u32>,
    /// Another model: the name of one of `[[llm.choices]]`, `MODEL`, or `PROVIDER/MODEL`.
    #[arg(long)]
    model: Option<String>,
    /// Another prompt of the agent.
    #[arg(long, conflicts_with = "prompt_version")]
    prompt: Option<String>,
    /// A version of the agent's prompt.
    #[arg(long, value_name = "VERSION", value_parser = arguments::whole::<u32>)]
    prompt_version: Option<u32>,
    /// The first reply, in place of the model's: an action as JSON, or text.
    #[arg(long)]
    reply: Option<String>,
}

/// Does the run once more, in a process that works alongside the server, if there is one.
pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<()> {
    let loaded = globals.load()?;
    let secrets = loaded.secrets_without_platforms(&setup::environment())?;
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let options = Options {
        worker_processes: Workers::of_this_program(),
        ..Options::default()
    };
    let app = setup::start_or_beside(&loaded, &secrets, options).await?;
    let format = args.which.format;
    let outcome = Box::pin(begin_rerun(&app, args)).await;
    app.shutdown().await;
    let report = outcome?;
    if format.json {
        return output::json(&view(&report));
    }
    output::print(&report_lines(&report).join("\n"))
}

async fn begin_rerun(app: &App, args: Args) -> anyhow::Result<RerunReport> {
    let run = args.which.find(&app.db).await?.id;
    if let Some(from) = args.from {
        let steps = steps::of_run(&mut app.db.read().await?, run).await?;
        let last = steps.last().map_or(0, |step| step.seq);
        anyhow::ensure!(
            from <= last || deleted_at(&steps).is_some(),
            "the run has no step {from}, its last one is {last}: `clifford runs show {run}` lists them"
        );
    }
    let text = args.prompt.map(OtherPrompt::Text);
    let request = RerunRequest {
        run,
        from: args.from,
        model: args.model,
        prompt: text.or(args.prompt_version.map(|version| OtherPrompt::Version(version.into()))),
        reply: args.reply,
        asker: None,
    };
    // Tools of servers stand in the prompt.
    app.mcp.settled(TOOLS).await;
    let context = Arc::clone(&app.context);
    interrupt::handle(&[SignalKind::interrupt()]);
    tokio::select! {
        report = rerun(&context, request) => Ok(report?),
        _ = tokio::signal::ctrl_c() => anyhow::bail!("the rerun was interrupted; the model call under way is charged"),
    }
}

/// A rerun for programs.
fn view(report: &RerunReport) -> Value {
    let steps: Vec<_> = (report.pairs().iter())
        .map(|pair| {
            json!({
                "same": pair.is_same,
                "recorded": pair.left.map(words::json),
                "rerun": pair.right.map(words::json),
                "effect": effect(report, pair),
            })
        })
        .collect();
    json!({
        "runId": report.run.id, "from": report.from, "end": report.end, "samePrompt": report.is_same_prompt,
        "spent": report.spent(), "steps": steps,
    })
}

fn effect(report: &RerunReport, pair: &Pair<'_>) -> Option<Effect> {
    report.effects.get(&pair.right?.seq).copied()
}

/// A rerun for people: each recorded step with the rerun's below it, where that is another.
fn report_lines(report: &RerunReport) -> Vec<String> {
    let pairs = report.pairs();
    let differences = pairs.iter().filter(|pair| !pair.is_same).count();
    let spent = report.spent();
    let models: Vec<_> = spent.models.iter().map(String::as_str).collect();
    let mut lines = vec![
        format!("run      {}", report.run.id),
        format!("from     step {}", report.from),
        format!("prompt   {}", prompt(report.is_same_prompt)),
        format!(
            "model    {}",
            if models.is_empty() {
                "-".to_owned()
            } else {
                models.join(", ")
            }
        ),
        format!(
            "used     {}, {} + {} tokens, cost {:.4}",
            output::count(spent.calls, "model call", None),
            spent.prompt_tokens,
            spent.completion_tokens,
            spent.cost
        ),
        format!("end      {}", end(&report.end)),
        format!(
            "steps    {} the same, {differences} different",
            pairs.len() - differences
        ),
        String::new(),
        paint(Paint::Dim, "  = both   - recorded   + rerun"),
    ];
    for pair in &pairs {
        let told = effect_text(effect(report, pair));
        match (pair.left, pair.right) {
            (_, Some(step)) if pair.is_same => lines.push(line("=", Paint::Dim, step, &told)),
            (left, right) => {
                lines.extend(left.map(|step| line("-", Paint::Red, step, "")));
                lines.extend(right.map(|step| line("+", Paint::Green, step, &told)));
            }
        }
    }
    lines
}

const fn prompt(is_same: bool) -> &'static str {
    match is_same {
        true => "the recorded one",
        false => "another than the recorded one: what it is made of changed since",
    }
}

fn line(mark: &str, colour: Paint, step: &Step, told: &str) -> String {
    let (what, text) = words::words(&step.kind);
    let text = output::head(&text, LONGEST);
    let line = format!("  {} {:>4}  {what:<9}  {text}", paint(colour, mark), step.seq);
    match told {
        "" => line,
        told => format!("{line}  {}", paint(Paint::Yellow, &format!("[{told}]"))),
    }
}

fn effect_text(effect: Option<Effect>) -> String {
    match effect {
        None => String::new(),
        Some(Effect::Recorded { seq }) => format!("as recorded in step {seq}"),
        Some(Effect::WouldHave) => "would have; not carried out".to_owned(),
    }
}

fn end(end: &RerunEnd) -> String {
    match end {
        RerunEnd::Finished => "as a run does".to_owned(),
        RerunEnd::WouldHave => "it would have done something new, whose outcome nobody knows".to_owned(),
        RerunEnd::Unanswered => "it waits for what the recorded run did not live to see".to_owned(),
        RerunEnd::Stopped { why } => why.clone(),
    }
}
