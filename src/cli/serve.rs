//! `clifford serve`: runs the bot until it is told to stop.

mod greeting;

use std::process::ExitCode;

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{
    examples,
    setup::{self, Globals},
};
use crate::{
    app::{App, Options},
    config::Loaded,
    http::{Metrics, Server},
    runtime, telemetry,
};

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford serve                        everything in one process",
    "clifford serve --only workers         one of several processes on PostgreSQL",
    "TELEGRAM_BOT_TOKEN=… OPENAI_API_KEY=… clifford serve",
    "",
    "Ctrl-C or SIGTERM stops it: what is at work is finished or handed back. A second one stops it at once.",
))]
pub(super) struct Args {
    /// Does only this part of the work; the others are other processes' on the same PostgreSQL database.
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of what a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Is connected to the platforms.
    Channels,
    /// Works on runs.
    Workers,
    /// Serves the HTTP API.
    Api,
}

/// Says what runs, and what to do next.
pub(super) async fn greet(app: &App, loaded: &Loaded) -> anyhow::Result<()> {
    greeting::say(app, loaded, &Args::everything()).await
}

impl Args {
    /// Everything in one process.
    pub(super) const fn everything() -> Self {
        Self { only: None }
    }

    fn does(&self, part: Part) -> bool {
        self.only.is_none_or(|only| only == part)
    }
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let (loaded, secrets) = globals.load_with_secrets()?;
    let traces = telemetry::init(&loaded.config, &secrets)?;
    runtime::raise_open_files();
    let mut stops = Stops::listen()?;
    let options = Options {
        channels: args.does(Part::Channels),
        workers: args.does(Part::Workers),
        terminal: None,
    };
    // Bound before anything is received: a wrong address stops the start, not a server at work.
    let http = &loaded.config.http;
    let server = match loaded.config.telemetry.metrics_bind {
        _ if args.does(Part::Api) && http.enabled => Some(Server::bind(http).await?),
        Some(address) if !args.does(Part::Api) => Some(Server::bind_for_watching(address, http).await?),
        _ => None,
    };
    if server.is_some() {
        // Before anything is done that is counted.
        Metrics::install();
    }
    let started = async {
        let app = setup::start(&loaded, &secrets, options).await?;
        greeting::say(&app, &loaded, &args).await?;
        anyhow::Ok(app)
    };
    let app = tokio::select! {
        app = started => app?,
        // A database that does not answer must not hold up the end.
        () = stops.next() => return Ok(ExitCode::SUCCESS),
    };
    match server {
        Some(server) if args.does(Part::Api) => app.serve(server, &secrets),
        Some(server) => app.tell(server, &secrets),
        None => {}
    }
    stops.next().await;
    tracing::info!("stopping; what is at work is finished or handed back");
    let ended = async {
        app.shutdown().await;
        traces.end().await;
    };
    tokio::select! {
        () = ended => Ok(ExitCode::SUCCESS),
        () = stops.next() => {
            tracing::warn!("stopped at once; what was at work goes on at the next start");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The signals that stop a process.
pub(super) struct Stops {
    interrupt: Signal,
    terminate: Signal,
    /// Held, never read: a file that may not grow is a full disk, which passes, and not the end of the process.
    _too_large: Signal,
}

impl Stops {
    pub(super) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).context("SIGINT cannot be listened to")?,
            terminate: signal(SignalKind::terminate()).context("SIGTERM cannot be listened to")?,
            _too_large: signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))
                .context("SIGXFSZ cannot be listened to")?,
        })
    }

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
