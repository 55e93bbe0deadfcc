//! `clifford chat`: the bot in this terminal. Where a server runs, that one answers; else an engine in this process
//! does, also alongside another process that has the database. `clifford` alone is such a server itself.

mod host;
mod through;

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
    sync::Arc,
};

use clifford_channel::Channel;
use clifford_config::{Loaded, Secrets};
use clifford_engine::jobs::erase::TYPED;
use clifford_telemetry as telemetry;
use clifford_terminal::{Terminal, TerminalConfig};
use clifford_worker::Workers;

use self::host::Host;
use super::{
    examples, local, output, serve,
    server::Server,
    setup::{self, Globals},
};
use crate::app::Options;

/// Arguments of `chat`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford chat",
    "clifford chat --quiet",
    "printf 'my cat is called Miro\\nwhat is my cat called?\\n' | clifford chat --quiet",
))]
pub(super) struct Args {
    /// Show answers only: no notes, tools or cost.
    #[arg(long)]
    quiet: bool,
}

/// Whether the platforms of the configuration are connected as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Platforms {
    /// They are, if there are any.
    Connected,
    /// Only the terminal.
    Left,
}

/// The command `clifford` without arguments: the bot in this terminal, and on every platform with a token. Without a
/// terminal and with platforms it is `clifford serve`.
pub(super) async fn run_all(globals: &Globals) -> anyhow::Result<ExitCode> {
    let platforms = globals.load()?.config.channels.any_enabled();
    if platforms && !io::stdin().is_terminal() {
        return Box::pin(serve::run(globals, serve::Args::everything())).await;
    }
    talk(globals, Args { quiet: false }, Platforms::Connected).await
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    talk(globals, args, Platforms::Left).await
}

async fn talk(globals: &Globals, args: Args, platforms: Platforms) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    if let Some(server) = Server::find(&loaded).await {
        return Box::pin(talk_there(&loaded, server, args, platforms)).await;
    }
    let secrets = secrets(&loaded, platforms)?;
    let may_serve = platforms == Platforms::Connected && loaded.config.http.enabled && !setup::is_held(&loaded);
    if may_serve && io::stdin().is_terminal() {
        return Box::pin(serve_here(&loaded, &secrets, args)).await;
    }
    // A server that has the database has the platforms, too.
    let platforms = if setup::is_held(&loaded) {
        Platforms::Left
    } else {
        platforms
    };
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let mut stops = serve::Stops::listen()?;
    let terminal = Arc::new(Terminal::stdio(settings(&loaded, &args))?);
    let options = Options {
        channels: platforms == Platforms::Connected,
        workers: true,
        terminal: Some(Arc::clone(&terminal) as Arc<dyn Channel>),
        worker_processes: Workers::of_this_program(),
        ..Options::default()
    };
    let app = setup::start_or_beside(&loaded, &secrets, options).await?;
    local::meet(&app.db, setup::now()).await?;
    if platforms == Platforms::Connected && io::stdin().is_terminal() {
        serve::greet(&app, &loaded).await?;
    }
    let ingress = Arc::clone(&app.ingress) as Arc<dyn clifford_channel::Ingress>;
    let ended = tokio::select! {
        ended = terminal.receive(ingress, app.stop.clone()) => ended.map(|()| hint(&terminal)),
        () = stops.next() => Ok(()),
    };
    tokio::select! {
        () = app.shutdown() => {}
        // Unfinished work goes on at the next start.
        () = stops.next() => return Ok(ExitCode::FAILURE),
    }
    ended?;
    Ok(ExitCode::SUCCESS)
}

/// Says why nothing happened, where the input ended before a word came: a service manager or a container has no
/// terminal.
fn hint(terminal: &Terminal) {
    if !io::stdin().is_terminal() && !terminal.has_heard() {
        // There is nobody to tell that standard error cannot be written to.
        let _ = writeln!(
            io::stderr(),
            "clifford: standard input held no message; `clifford serve` runs the bot without a terminal"
        );
    }
}

/// The secrets that the bot needs here.
fn secrets(loaded: &Loaded, platforms: Platforms) -> anyhow::Result<Secrets> {
    let environment = setup::environment();
    Ok(match platforms {
        Platforms::Connected => loaded.secrets(&environment)?,
        Platforms::Left => loaded.secrets_without_platforms(&environment)?,
    })
}

fn settings(loaded: &Loaded, args: &Args) -> TerminalConfig {
    TerminalConfig {
        speaker: local::SPEAKER.to_owned(),
        language: local::language(),
        quiet: args.quiet,
        history: Some(loaded.data_dir.join(TYPED)),
        clock: Arc::new(jiff::Timestamp::now),
    }
}

/// Is the server of this machine, and talks to it.
async fn serve_here(loaded: &Loaded, secrets: &Secrets, args: Args) -> anyhow::Result<ExitCode> {
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let stops = serve::Stops::listen()?;
    let terminal = Arc::new(Terminal::stdio(settings(loaded, &args))?);
    let host = Host::start(loaded, secrets, Platforms::Connected).await?;
    host.greet().await?;
    let server = host.server().clone();
    let mut place = through::Place::new(loaded, Platforms::Connected);
    place.host = Some(host);
    Box::pin(converse(place, server, &terminal, (args.quiet, stops))).await
}

/// Talks to the server. Its secrets are its own: none is needed here, unless it is another terminal that is left.
async fn talk_there(loaded: &Loaded, server: Server, args: Args, platforms: Platforms) -> anyhow::Result<ExitCode> {
    let secrets = secrets(loaded, Platforms::Left).ok();
    let masker = secrets.map(|secrets| secrets.masker).unwrap_or_default();
    telemetry::init_quiet(&loaded.config.log, &masker)?;
    let stops = serve::Stops::listen()?;
    let terminal = Arc::new(Terminal::stdio(settings(loaded, &args))?);
    if platforms == Platforms::Connected && io::stdin().is_terminal() {
        // `clifford` would have begun a bot, and says why it did not.
        let version = env!("CARGO_PKG_VERSION");
        output::text(&format!(
            "Clifford {version} runs here already, at {}; this is one more terminal of it.",
            server.base()
        ))?;
    }
    let db = setup::database_or_new(loaded).await?;
    let met = local::meet(&db, setup::now()).await;
    db.close().await;
    met?;
    let place = through::Place::new(loaded, platforms);
    Box::pin(converse(place, server, &terminal, (args.quiet, stops))).await
}

/// Talks until the terminal is left, and ends the bot that this process has by then.
async fn converse(
    mut place: through::Place<'_>,
    server: Server,
    terminal: &Arc<Terminal>,
    (quiet, mut stops): (bool, serve::Stops),
) -> anyhow::Result<ExitCode> {
    let ended = tokio::select! {
        ended = through::talk(&mut place, server, terminal, quiet) => ended.map(|()| hint(terminal)),
        () = stops.next() => Ok(()),
    };
    if let Some(host) = place.host {
        tokio::select! {
            () = host.end() => {}
            // Unfinished work goes on at the next start.
            () = stops.next() => return Ok(ExitCode::FAILURE),
        }
    }
    ended?;
    Ok(ExitCode::SUCCESS)
}
