//! The greeting of a server: its parts, its data, and the next step.

use clifford_channel::{Access, Section};
use clifford_config::{Config, Loaded, ProviderKind};
use clifford_store::{
    StoreError,
    people::{
        claim,
        sessions::{self, login_link},
    },
};
use clifford_telemetry::log::LogFormat;

use super::{Args, Part};
use crate::{
    app::App,
    cli::{config::origin, output},
};

/// The part of a hint that is for people who do not talk here yet.
const TALK_HERE: &str = ", or talk here with `clifford chat`";

/// Says it: to a person on standard output, or as events of a JSON log.
///
/// # Errors
/// The database does not answer.
pub(super) async fn say(app: &App, loaded: &Loaded, args: &Args) -> anyhow::Result<()> {
    let mut lines = facts(loaded, args);
    lines.extend(ownership(app, &loaded.config).await?);
    lines.extend(dashboard(app, &loaded.config, args).await?);
    lines.extend(loaded.hints.iter().cloned());
    tell(loaded, &lines);
    Ok(())
}

/// The same to somebody who talks to the bot in this terminal: they need not be told how to talk here.
///
/// # Errors
/// The database does not answer.
pub(super) async fn say_here(app: &App, loaded: &Loaded) -> anyhow::Result<()> {
    let args = Args::everything();
    let mut lines = facts(loaded, &args);
    lines.extend(ownership(app, &loaded.config).await?);
    if app.is_announced() {
        lines.extend(dashboard(app, &loaded.config, &args).await?);
        lines.extend(reach(&loaded.config));
    }
    let hints = loaded.hints.iter();
    lines.extend(hints.map(|hint| hint.replace(TALK_HERE, "")));
    tell(loaded, &lines);
    Ok(())
}

fn tell(loaded: &Loaded, lines: &[String]) {
    match loaded.config.log.format {
        LogFormat::Json => lines.iter().for_each(|line| tracing::info!("{line}")),
        // Nobody has to read it: a closed output does not stop a server.
        LogFormat::Text => drop(output::fields(lines)),
    }
}

fn facts(loaded: &Loaded, args: &Args) -> Vec<String> {
    let config = &loaded.config;
    let mut lines = vec![
        format!("Clifford {} runs{}.", env!("CARGO_PKG_VERSION"), part(args)),
        format!("settings   {}", origin(loaded)),
        format!("database   {}", loaded.database_url),
        format!("model      {}", model(config)),
    ];
    if args.does(Part::Channels) {
        lines.push(format!("platforms  {}", platforms(config)));
    }
    lines
}

fn part(args: &Args) -> &'static str {
    match args.only {
        None => "",
        Some(Part::Channels) => " (only the platforms' connections)",
        Some(Part::Workers) => " (only workers)",
        Some(Part::Api) => " (only the API)",
    }
}

fn model(config: &Config) -> String {
    let named: Vec<_> = config
        .llm
        .providers
        .iter()
        .map(|provider| match provider.kind {
            ProviderKind::Offline => "offline responder (no language model)".to_owned(),
            ProviderKind::Openai | ProviderKind::Anthropic => format!("{} at {}", provider.model, provider.base_url),
        })
        .collect();
    named.join(", then ")
}

fn platforms(config: &Config) -> String {
    let describe = |section: &Section| {
        let who = match section.common().audience.access {
            Access::Open => "open to everybody",
            Access::Pairing => "for those whom the owner lets in",
            Access::Allowlist => "for those on its list",
        };
        format!("{} ({who})", section.about().title)
    };
    let named: Vec<_> = config.channels.enabled().map(describe).collect();
    if named.is_empty() {
        "none".to_owned()
    } else {
        named.join(", ")
    }
}

/// How to become the owner, where somebody must let others in and nobody can yet.
async fn ownership(app: &App, config: &Config) -> Result<Option<String>, StoreError> {
    let mut platforms = config.channels.enabled();
    let pairs = platforms.any(|section| section.common().audience.access == Access::Pairing);
    if !pairs || clifford_store::people::users::has_owner(&mut app.db.read().await?).await? {
        return Ok(None);
    }
    if claim::hash(&mut app.db.read().await?).await?.is_some() {
        return Ok(Some(
            "owner      none yet: send the bot the code that `clifford init` or its first start printed; `clifford pair claim` prints a new one"
                .to_owned(),
        ));
    }
    let now = app.clock.now();
    let code = app.db.write(move |tx| Box::pin(claim::make(tx, now))).await?;
    Ok(code.map(|code| format!("owner      none yet: send {code} to the bot in a private chat to become its owner")))
}

/// The warning that a log would show where a terminal shows none.
fn reach(config: &Config) -> Option<String> {
    let bind = config.http.bind;
    config.http.is_open().then(|| {
        format!(
            "The API listens beyond this machine ({bind}), without TLS: put a proxy with TLS before it, and set http.bind to a \
             loopback address or http.public_url to the proxy's https address."
        )
    })
}

/// A link to the dashboard, until somebody has logged in. A log that others collect does not hold it.
async fn dashboard(app: &App, config: &Config, args: &Args) -> Result<Option<String>, StoreError> {
    if !config.http.enabled || !args.does(Part::Api) {
        return Ok(None);
    }
    let (address, now) = (config.http.address(), app.clock.now());
    if config.log.format == LogFormat::Json || sessions::is_any(&mut app.db.read().await?, now).await? {
        return Ok(Some(format!(
            "dashboard  {address} (`clifford login` prints a link that lets you in)"
        )));
    }
    let owner = sessions::only_owner(&mut app.db.read().await?).await?;
    let link = app
        .db
        .write(move |tx| Box::pin(sessions::create_link(tx, owner, now)))
        .await?;
    Ok(Some(format!(
        "dashboard  {} (lets you in once, for 10 minutes)",
        login_link(&address, link.expose())
    )))
}
