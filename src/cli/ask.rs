//! `clifford ask`: one question, one answer.

use std::{
    io::{IsTerminal, Read},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, bail};
use clifford_chat::{inbound::Speaker, platform::Platform};
use clifford_core::{
    people::UserRole,
    run::step::{EndingKind, Step, StepKind},
    runs::{Run, RunStatus},
};
use clifford_engine::work::Task;
use clifford_store::{StoreError, people::users, places::agents::Agent, runs::steps};
use clifford_telemetry as telemetry;
use clifford_worker::Workers;
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    setup::{self, Globals},
};
use crate::app::{App, Options};

/// The most bytes of a question.
const LONGEST: usize = 256 * 1024;

/// The most characters of what a failed run said, beside its reason.
const LONGEST_REPLY: usize = 300;

/// How long the one question waits for tools that MCP servers offer.
const TOOLS: Duration = Duration::from_secs(20);

/// Arguments of `ask`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford ask \"what is 17 * 23?\"",
    "git diff | clifford ask \"what changes here?\" -",
    "clifford ask --json \"what time is it in Tokyo?\" | jq -r .answer",
))]
pub(super) struct Args {
    /// The question. `-` at its end puts what comes by a pipe below it; without a question the pipe is read as one.
    question: Vec<String>,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let question = question(&args.question.join(" "))?;
    let (loaded, secrets) = globals.load_with_secrets()?;
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let options = Options {
        channels: false,
        workers: true,
        waits_for_database: false,
        terminal: None,
        worker_processes: Workers::of_this_program(),
    };
    let app = setup::start(&loaded, &secrets, options).await?;
    app.mcp.settled(TOOLS).await;
    let outcome = Box::pin(ask(&app, question)).await;
    app.shutdown().await;
    let (run, steps) = outcome?;
    report(&run, &steps, args.format)
}

/// The words of the command line, with what comes by a pipe below them. The pipe is read only if that is asked
/// for: one that nobody closes would be waited for for ever.
fn question(words: &str) -> anyhow::Result<String> {
    let asked = words.trim();
    let words = asked
        .strip_suffix('-')
        .filter(|rest| rest.is_empty() || rest.ends_with(' '))
        .unwrap_or(asked)
        .trim();
    let mut piped = Vec::new();
    if (words.is_empty() || words.len() < asked.len()) && !std::io::stdin().is_terminal() {
        let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
        std::io::stdin()
            .lock()
            .take(most + 1)
            .read_to_end(&mut piped)
            .context("standard input cannot be read")?;
    }
    if piped.len() + words.len() > LONGEST {
        bail!("the question is longer than {LONGEST} bytes: ask about a part of it");
    }
    let piped = String::from_utf8(piped).context("standard input is not text (UTF-8)")?;
    let question = [words, piped.trim()].join("\n\n").trim().to_owned();
    if question.is_empty() {
        bail!("there is no question: give it as an argument, or by a pipe");
    }
    Ok(question)
}

/// Asks, and waits for the end; an interrupted run is cancelled.
async fn ask(app: &App, question: String) -> anyhow::Result<(Run, Vec<Step>)> {
    let speaker = Speaker {
        id: setup::LOCAL_SPEAKER.to_owned(),
        name: setup::LOCAL_SPEAKER.to_owned(),
        handle: None,
        is_bot: false,
        language: None,
    };
    let now = app.clock.now();
    let user = app
        .db
        .write(move |tx| {
            Box::pin(
                async move { users::find_or_create(tx, Platform::TERMINAL, &speaker, UserRole::Member, now).await },
            )
        })
        .await?;
    let agent = agent(app).await?;
    let task = Task {
        agent: agent.id,
        channel: None,
        user: Some(user.id),
        context: None,
        mode: agent.mode,
        input: question,
        address: None,
        not_before: None,
    };
    let run = app.runs.submit(task.into_run(None)).await?;
    let run = tokio::select! {
        ended = app.runs.wait_for_end(run.id, Duration::MAX / 4) => ended?,
        _ = tokio::signal::ctrl_c() => app.runs.cancel(run.id).await?,
    };
    let steps = steps::of_run(&mut app.db.read().await?, run.id).await?;
    Ok((run, steps))
}

async fn agent(app: &App) -> anyhow::Result<Agent> {
    app.runs.default_agent().await.map_err(|error| match error {
        StoreError::NotFound(_) => anyhow::anyhow!("no agent is enabled: set agent.enabled = true"),
        other => other.into(),
    })
}

fn report(run: &Run, steps: &[Step], format: Format) -> anyhow::Result<ExitCode> {
    let said = said(steps);
    let completed = run.status == RunStatus::Completed;
    let answer = if said.is_empty() {
        run.output_text.clone().unwrap_or_default()
    } else {
        said.join("\n\n")
    };
    if format.json {
        output::json(&json!({
            "runId": run.id, "status": run.status, "answer": answer, "output": run.output_text, "error": run.error,
            "llmCalls": run.llm_calls, "promptTokens": run.prompt_tokens, "completionTokens": run.completion_tokens,
            "cost": run.cost,
        }))?;
    } else if completed {
        output::print(&answer)?;
    } else {
        bail!(failure(run, &answer));
    }
    Ok(if completed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Why there is no answer, in one line. A reply that tells the reason already has it for both.
fn failure(run: &Run, reply: &str) -> String {
    let (id, status) = (run.id, run.status);
    let why = output::head(run.error.as_deref().unwrap_or_default(), usize::MAX);
    let reply = output::head(reply, LONGEST_REPLY + why.chars().count());
    let reason = if reply.contains(&why) {
        String::new()
    } else {
        format!(": {why}")
    };
    if reply.is_empty() {
        return format!("run {id} {status}{reason}; `clifford runs show {id}` tells more");
    }
    format!("{reply} (run {id} {status}{reason}; `clifford runs show {id}` tells more)")
}

/// The messages of the run to the user, in order.
pub(super) fn said(steps: &[Step]) -> Vec<&str> {
    steps
        .iter()
        .filter_map(|step| match &step.kind {
            StepKind::AssistantMessage { text, sent: true } => Some(text.as_str()),
            StepKind::Finish(finish) if finish.ending != EndingKind::Message => finish.message.as_deref(),
            _ => None,
        })
        .collect()
}
