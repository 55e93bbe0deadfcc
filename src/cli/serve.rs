//! `clifford serve`: runs the bot until it is stopped.

mod at_work;
mod greeting;
mod plan;
mod signals;

use std::{pin::Pin, process::ExitCode};

use clifford_config::Loaded;
use clifford_http::{Metrics, Reload};
use clifford_telemetry as telemetry;
use tokio::time::Instant;

pub(super) use self::signals::Stops;
use self::{
    at_work::AtWork,
    plan::Plan,
    signals::{Signals, Told},
};
use super::{examples, setup::Globals};
use crate::{
    app::{App, shutdown},
    features::Traces,
};

/// Arguments of `serve`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford serve                        everything in one process",
    "clifford serve --only workers         one of several processes on PostgreSQL",
    "TELEGRAM_BOT_TOKEN=… OPENAI_API_KEY=… clifford serve",
    "",
    "Ctrl-C or SIGTERM stops it: runs at work are finished or released. A second signal stops it at once.",
    "SIGHUP makes it read bot.toml again. A correct file takes effect; a wrong one changes nothing, and the log says",
    "why. Platforms that are not connected are tried at once.",
))]
pub(super) struct Args {
    /// Do only this part of the work; other processes on the same PostgreSQL database do the rest.
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of what a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Connect to the platforms.
    Channels,
    /// Work on runs.
    Workers,
    /// Serve the HTTP API.
    Api,
}

/// Says to a person who talks here what runs, and what to do next.
pub(super) async fn greet(app: &App, loaded: &Loaded) -> anyhow::Result<()> {
    greeting::say_here(app, loaded).await
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
    let traces = Traces::begin(loaded.config.telemetry.otlp_endpoint.as_ref())?;
    telemetry::init(&loaded.config.log, traces.layer(), &secrets.masker)?;
    let mut signals = Signals::listen()?;
    let (reload, mut requests) = Reload::new();
    // Bound before anything is received: a wrong address stops the start, not a server at work.
    let mut plan = Plan::new(loaded, secrets, args, reload).await?;
    if plan.listens() {
        // Before anything is done that is counted.
        Metrics::install(&plan.loaded.platforms.names());
    }
    let mut at_work = tokio::select! {
        begun = AtWork::begin(plan.clone(), true) => begun?,
        // A database that does not answer must not hold up the end.
        () = signals.stop() => return Ok(ExitCode::SUCCESS),
    };
    loop {
        let request = tokio::select! {
            biased;
            told = signals.next() => match told {
                Told::Stop => return Ok(end(at_work.end(), traces, &plan, &mut signals).await),
                Told::Reload => None,
            },
            Some(request) = requests.recv() => Some(request),
        };
        let again = plan.again(globals).await;
        if let Some(request) = request {
            let outcome = again.as_ref().map(|again| again.changed.clone());
            request.answer(outcome.map_err(|error| format!("{error:#}")));
        }
        match again.ok().and_then(|again| again.next) {
            // Nothing of the settings changes, but what was refused by them may be let in by now.
            None => at_work.connect_again(),
            Some(next) => match put_in_force(at_work, &plan, &next, &mut signals).await? {
                Turned::Stopping(rest) => return Ok(end(rest, traces, &plan, &mut signals).await),
                Turned::New(begun) => (at_work, plan) = (begun, *next),
                Turned::Old(begun) => at_work = begun,
            },
        }
    }
}

/// Ends the work in the time that it is given, traces included; at once, after a second signal.
async fn end(rest: impl Future<Output = ()>, traces: Traces, plan: &Plan, signals: &mut Signals) -> ExitCode {
    tracing::info!("stopping, draining work in flight");
    let until = shutdown::traces_until(Instant::now(), plan.shutdown_time());
    let ended = async {
        rest.await;
        traces.end(until).await;
    };
    tokio::select! {
        () = ended => ExitCode::SUCCESS,
        () = signals.stop() => {
            tracing::warn!("stopped at once, work in flight resumes at the next start");
            ExitCode::FAILURE
        }
    }
}

/// The result of new settings.
enum Turned {
    /// They are in force.
    New(AtWork),
    /// They cannot be; the old ones are again.
    Old(AtWork),
    /// The process was stopped meanwhile; this is the rest to be ended.
    Stopping(Pin<Box<dyn Future<Output = ()>>>),
}

/// Ends what is at work by the old settings, as at a stop, and begins by the new ones; by the old ones, if that fails.
///
/// # Errors
/// It can begin by neither.
async fn put_in_force(at_work: AtWork, old: &Plan, new: &Plan, signals: &mut Signals) -> anyhow::Result<Turned> {
    let mut ended: Pin<Box<dyn Future<Output = ()>>> = Box::pin(at_work.end());
    tokio::select! {
        () = &mut ended => {}
        () = signals.stop() => return Ok(Turned::Stopping(ended)),
    }
    let nothing = || Ok(Turned::Stopping(Box::pin(std::future::ready(()))));
    let begun = tokio::select! {
        begun = AtWork::begin(new.clone(), false) => begun,
        () = signals.stop() => return nothing(),
    };
    match begun {
        Ok(begun) => {
            tracing::info!("applied new settings");
            return Ok(Turned::New(begun));
        }
        Err(error) => tracing::error!(error = format!("{error:#}"), "failed to start with new settings"),
    }
    tracing::error!("failed to apply new settings, restored the old ones");
    tokio::select! {
        begun = AtWork::begin(old.clone(), false) => Ok(Turned::Old(begun?)),
        () = signals.stop() => nothing(),
    }
}
