//! `clifford ask`: one question, one answer.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use anyhow::bail;
use clifford_channel::{Platform, Speaker};

use super::setup;
use crate::{
    app::{App, Options},
    engine::work::Task,
    store::{
        runs::RunStatus,
        steps,
        users::{self, UserRole},
    },
    telemetry,
};

/// Arguments of `ask`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The question; `-` or nothing reads it from standard input.
    question: Vec<String>,
}

#[expect(clippy::print_stdout, reason = "the answer is what the command is for")]
pub(super) async fn run(config: Option<PathBuf>, args: Args) -> anyhow::Result<ExitCode> {
    let mut question = args.question.join(" ");
    if question.is_empty() || question == "-" {
        question = std::io::read_to_string(std::io::stdin())?;
    }
    if question.trim().is_empty() {
        bail!("there is no question: give it as an argument, or on standard input");
    }
    let (loaded, secrets) = setup::load_with_secrets(config, Vec::new())?;
    telemetry::init_quiet(&loaded.config.log, &secrets)?;
    let app = App::start(
        &loaded,
        &secrets,
        Options {
            channels: false,
            workers: true,
            terminal: None,
        },
    )
    .await?;
    let outcome = answer(&app, question.trim()).await;
    app.shutdown().await;
    println!("{}", outcome?);
    Ok(ExitCode::SUCCESS)
}

async fn answer(app: &App, question: &str) -> anyhow::Result<String> {
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
                async move { users::find_or_create(tx, Platform::Terminal, &speaker, UserRole::Member, now).await },
            )
        })
        .await?;
    let task = Task {
        agent: app.engine.default_agent().await?,
        channel: None,
        user: Some(user.id),
        context: None,
        input: question.to_owned(),
        address: None,
        not_before: None,
    };
    let run = app.engine.submit(task.into_run(None)).await?;
    let run = app.engine.wait_for_end(run.id, Duration::MAX / 4).await?;
    if run.status == RunStatus::Completed {
        return Ok(run.output_text.unwrap_or_default());
    }
    let steps = steps::of_run(&mut app.db.read().await?, run.id).await?;
    let said = steps.iter().rev().find_map(|step| match &step.kind {
        crate::engine::step::StepKind::Finish(finish) => finish.message.clone(),
        _ => None,
    });
    bail!(
        "{} (run {}: {})",
        said.unwrap_or_default(),
        run.id,
        run.error.unwrap_or_default()
    )
}
