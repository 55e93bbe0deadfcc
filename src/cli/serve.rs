//! `clifford serve`: runs the bot until it is told to stop.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

use super::setup;
use crate::{
    app::{App, Options},
    telemetry,
};

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) async fn run(config: Option<PathBuf>, _: Args) -> anyhow::Result<ExitCode> {
    let (loaded, secrets) = setup::load_with_secrets(config, Vec::new())?;
    telemetry::init(&loaded.config.log, &secrets)?;
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be listened to")?;
    let app = App::start(
        &loaded,
        &secrets,
        Options {
            channels: true,
            workers: true,
            terminal: None,
        },
    )
    .await?;
    tokio::select! {
        _ = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted.context("SIGINT cannot be listened to")?,
    }
    app.shutdown().await;
    Ok(ExitCode::SUCCESS)
}
