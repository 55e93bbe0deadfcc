//! `clifford ask`: one question, one answer. Where a server runs, that one answers.

mod through;
mod writes;

use std::{
    io::{IsTerminal, Read, Write},
    process::ExitCode,
    sync::mpsc,
    time::Duration,
};

use anyhow::{Context, bail};
use clifford_config::Loaded;
use clifford_core::{
    id::RunId,
    run::step::{EndingKind, Step, StepKind},
    runs::{Run, RunStatus},
};
use clifford_engine::{run::cancel, submit_from_outside, work::Task};
use clifford_store::{
    Db,
    places::agents,
    runs::{NewRun, steps, views},
};
use clifford_telemetry as telemetry;
use clifford_worker::Workers;
use rustix::fs::FileType;
use serde_json::json;

use super::{
    examples, local,
    output::{self, Format},
    server::Server,
    setup::{self, Globals},
};
use crate::app::Options;

/// The most bytes of a question.
const LONGEST: usize = 256 * 1024;

/// The most characters of what a failed run said, besides its reason.
const LONGEST_REPLY: usize = 300;

/// How long the one question waits for tools that MCP servers offer.
const TOOLS: Duration = Duration::from_secs(20);

/// How often a run that a server works on is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// How long standard input may be silent before that is said.
const SILENCE: Duration = Duration::from_secs(5);

/// Arguments of `ask`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford ask \"what is 17 * 23?\"",
    "git diff | clifford ask \"what changes here?\"",
    "clifford ask --json \"what time is it in Tokyo?\" | jq -r .answer",
))]
pub(super) struct Args {
    /// The question. Text from a pipe stands below it; without a question, it is the question.
    question: Vec<String>,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let question = question(&args.question.join(" "))?;
    let loaded = globals.load()?;
    let (run, steps) = if let Some(server) = Server::find(&loaded).await {
        Box::pin(through::ask(&loaded, &server, &question)).await?
    } else if setup::is_held(&loaded) {
        beside(&loaded, &question).await?
    } else {
        here(&loaded, Some(question), None).await?
    };
    report(&run, &steps, args.format)
}

/// Asks an engine in this process, or waits here for the end of a run that was made before.
async fn here(loaded: &Loaded, question: Option<String>, made: Option<RunId>) -> anyhow::Result<(Run, Vec<Step>)> {
    let secrets = loaded.secrets_without_platforms(&setup::environment())?;
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let options = Options {
        workers: true,
        worker_processes: Workers::of_this_program(),
        ..Options::default()
    };
    let app = setup::start_or_beside(loaded, &secrets, options).await?;
    app.mcp.settled(TOOLS).await;
    let outcome = async {
        let run = match (made, question) {
            (Some(run), _) => run,
            (None, question) => {
                let run = new_run(&app.db, question.unwrap_or_default()).await?;
                app.runs.submit(run).await?.id
            }
        };
        let run = tokio::select! {
            ended = app.runs.wait_for_end(run, Duration::MAX / 4) => ended?,
            error = writes::refused(&app.db) => bail!("{error}; the question waits until the database takes writes: run {run}"),
            _ = tokio::signal::ctrl_c() => app.runs.cancel(run).await?,
        };
        let steps = steps::of_run(&mut app.db.read().await?, run.id).await?;
        anyhow::Ok((run, steps))
    };
    let outcome = Box::pin(outcome).await;
    app.shutdown().await;
    outcome
}

/// Asks the process that holds the database: the run is a row like any other, which that one finds. Should that one end
/// before the run does, it goes on here.
async fn beside(loaded: &Loaded, question: &str) -> anyhow::Result<(Run, Vec<Step>)> {
    let db = setup::database_or_new(loaded).await?;
    let run = new_run(&db, masked(loaded, question)).await?;
    let run = submit_from_outside(&db, run, setup::now()).await?.id;
    follow(loaded, db, run).await
}

/// A question without the secrets that are known here: the process that answers it may know others.
fn masked(loaded: &Loaded, question: &str) -> String {
    match loaded.secrets_without_platforms(&setup::environment()) {
        Ok(secrets) => secrets.masker.mask(question).into_owned(),
        Err(_) => question.to_owned(),
    }
}

/// Follows a run by its rows to its end.
async fn follow(loaded: &Loaded, db: Db, run: RunId) -> anyhow::Result<(Run, Vec<Step>)> {
    let mut interrupt = Box::pin(tokio::signal::ctrl_c());
    loop {
        let found = views::get(&mut db.read().await?, run, setup::now()).await?;
        match found {
            Some(found) if found.status.is_ended() => {
                let steps = steps::of_run(&mut db.read().await?, run).await?;
                db.close().await;
                return Ok((found, steps));
            }
            Some(_) => {}
            None => bail!("run {run} is gone: somebody deleted it"),
        }
        if !setup::is_held(loaded) {
            db.close().await;
            return Box::pin(here(loaded, None, Some(run))).await;
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = &mut interrupt => {
                interrupt = Box::pin(tokio::signal::ctrl_c());
                // It may have ended meanwhile.
                cancel::from_outside(&db, run, setup::now()).await.ok();
            }
        }
    }
}

/// A run for a question of the person at this machine.
async fn new_run(db: &Db, question: String) -> anyhow::Result<NewRun> {
    let user = local::meet(db, setup::now()).await?;
    let agent = agents::for_channel(&mut db.read().await?, None).await?;
    let Some(agent) = agent else {
        bail!("no agent is enabled: set agent.enabled = true");
    };
    let task = Task {
        agent: agent.id,
        channel: None,
        user: Some(user.id),
        context: None,
        mode: agent.mode,
        input: question,
        address: None,
        platform_roles: None,
        not_before: None,
    };
    Ok(task.into_run(None))
}

/// The words of the command line, with what comes by a pipe below them. Without words, or with `-` after them, standard
/// input is waited for; otherwise it is read where it is a pipe or a file.
fn question(words: &str) -> anyhow::Result<String> {
    let asked = words.trim();
    let words = asked
        .strip_suffix('-')
        .filter(|rest| rest.is_empty() || rest.ends_with(' '))
        .unwrap_or(asked)
        .trim();
    let is_asked_for = words.is_empty() || words.len() < asked.len();
    let mut piped = Vec::new();
    if (is_asked_for && !std::io::stdin().is_terminal()) || is_piped() {
        let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
        let hint = Hint::after(SILENCE);
        std::io::stdin()
            .lock()
            .take(most + 1)
            .read_to_end(&mut piped)
            .context("standard input cannot be read")?;
        drop(hint);
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

/// Whether standard input is a pipe or a file: something that ends by itself.
fn is_piped() -> bool {
    rustix::fs::fstat(std::io::stdin()).is_ok_and(|stat| {
        matches!(
            FileType::from_raw_mode(stat.st_mode),
            FileType::Fifo | FileType::RegularFile
        )
    })
}

/// A word about what is waited for, unless it comes in time: a pipe that nobody closes would be waited for in silence.
struct Hint(mpsc::Sender<()>);

impl Hint {
    fn after(silence: Duration) -> Self {
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || {
            if ended.recv_timeout(silence) == Err(mpsc::RecvTimeoutError::Timeout) {
                // Nobody has to read it.
                let _ = writeln!(
                    std::io::stderr(),
                    "clifford: reading standard input; < /dev/null says that there is none"
                );
            }
        });
        Self(sender)
    }
}

impl Drop for Hint {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

fn report(run: &Run, steps: &[Step], format: Format) -> anyhow::Result<ExitCode> {
    let said = answers(steps);
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
pub(super) fn answers(steps: &[Step]) -> Vec<&str> {
    steps
        .iter()
        .filter_map(|step| match &step.kind {
            StepKind::AssistantMessage { text, sent: true } => Some(text.as_str()),
            StepKind::Finish(finish) if finish.ending != EndingKind::Message => finish.message.as_deref(),
            _ => None,
        })
        .collect()
}
