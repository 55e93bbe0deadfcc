//! `clifford status`: whether the bot runs, and what waits. Works alongside a server on the same database.

use std::{process::ExitCode, time::Duration};

use clifford_config::Loaded;
use clifford_core::runs::RunStatus;
use clifford_delivery::receiver::lease_name;
use clifford_store::{
    Conn, StoreError, leases,
    messages::{
        queue_depth,
        undelivered::{self, Filter},
    },
    people::pairings,
    runs::{self, views},
};
use serde::Serialize;

use super::{
    config::origin,
    examples,
    output::{self, Format, Paint, paint},
    setup::{self, Globals},
};
use crate::app::{self, Announcement};

/// How long the API of this machine may take to say that it lives.
const PATIENCE: Duration = Duration::from_secs(2);
/// Failed messages are counted so far.
const COUNTED: u32 = 1000;

/// Arguments of `status`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford status",
    "clifford status --json | jq .running",
    "",
    "`clifford doctor` finds out what is wrong; this asks neither platforms nor models.",
))]
pub(super) struct Args {
    #[command(flatten)]
    format: Format,
}

/// How the bot stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    version: &'static str,
    /// Whether some process works on the database.
    running: bool,
    settings: String,
    database: String,
    /// Where the API is, if it is on.
    api: Option<ApiStatus>,
    platforms: Vec<PlatformStatus>,
    /// The waiting work; nothing, as long as there is no database.
    work: Option<Work>,
}

#[derive(Debug, Serialize)]
struct ApiStatus {
    address: String,
    answers: bool,
    /// Something answers there that is not this bot: it works on another database.
    taken: bool,
}

#[derive(Debug, Serialize)]
struct PlatformStatus {
    platform: String,
    /// Whether a process holds its connection.
    connected: bool,
    /// Why not, as the process says.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Work {
    /// Runs at work.
    running_runs: usize,
    /// Runs that wait for a worker.
    pending_runs: i64,
    /// Questions about calls that wait for somebody's word.
    approvals: i64,
    /// Messages that wait to be delivered.
    outbox: i64,
    /// Messages that were given up, up to a thousand.
    failed_messages: usize,
    /// People who asked to talk to the bot.
    pairing_requests: usize,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    let status = look(&loaded).await?;
    if args.format.json {
        output::json(&status)?;
    } else {
        output::fields(&lines(&status))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn look(loaded: &Loaded) -> anyhow::Result<Status> {
    let (api, down) = api(loaded).await;
    let answers = api.as_ref().is_some_and(|api| api.answers);
    let named = |platform: &str| {
        down.iter()
            .find_map(|line| line.strip_prefix(&format!("{platform} is not connected: ")))
    };
    let mut platforms = Vec::new();
    let mut work = None;
    app::known::check(loaded).await?;
    if setup::existing(loaded).await.is_ok() {
        let db = setup::database_or_new(loaded).await?;
        let mut conn = db.read().await?;
        for section in loaded.config.channels.enabled() {
            let platform = section.platform().to_string();
            let lease = lease_name(&platform, 0);
            let held = leases::holder(&mut conn, &lease, setup::now()).await?.is_some();
            let why = named(&platform).map(str::to_owned);
            platforms.push(PlatformStatus {
                connected: held && why.is_none(),
                why,
                platform,
            });
        }
        work = Some(waiting(&mut conn).await?);
        drop(conn);
        db.close().await;
    }
    Ok(Status {
        version: env!("CARGO_PKG_VERSION"),
        running: setup::is_held(loaded) || answers || platforms.iter().any(|platform| platform.connected),
        settings: origin(loaded),
        database: loaded.database_url.to_string(),
        api,
        platforms,
        work,
    })
}

/// The API, and the lines of what is not connected.
async fn api(loaded: &Loaded) -> (Option<ApiStatus>, Vec<String>) {
    let http = &loaded.config.http;
    if !http.enabled {
        return (None, Vec::new());
    }
    // A server may listen elsewhere: `clifford` alone does, where the address was in use.
    let announced = Announcement::of(loaded).read();
    let address = announced.map_or_else(|| http.local_address(), |announced| announced.address);
    let said = health(&format!("{address}/healthz")).await;
    if setup::is_idle(loaded) {
        let (answers, taken) = (false, said.is_ok());
        return (
            Some(ApiStatus {
                address,
                answers,
                taken,
            }),
            Vec::new(),
        );
    }
    let said = said.unwrap_or_default();
    let mut lines = said.lines().map(str::to_owned);
    let (answers, taken) = (lines.next().as_deref() == Some("ok"), false);
    (
        Some(ApiStatus {
            address,
            answers,
            taken,
        }),
        lines.collect(),
    )
}

async fn health(url: &str) -> Result<String, reqwest::Error> {
    // It is on this machine: no proxy is asked.
    let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?;
    client.get(url).send().await?.text().await
}

async fn waiting(conn: &mut Conn) -> Result<Work, StoreError> {
    let now = setup::now();
    let depths = queue_depth::all(conn, now).await?;
    let running = runs::Filter {
        status: Some(RunStatus::Running),
        ..runs::Filter::default()
    };
    let failed = Filter {
        failed: Some(true),
        ..Filter::default()
    };
    Ok(Work {
        running_runs: views::page(conn, &running, COUNTED, now).await?.len(),
        pending_runs: depths.runs.count,
        approvals: depths.approvals,
        outbox: depths.outbox.count,
        failed_messages: undelivered::page(conn, failed, COUNTED).await?.len(),
        pairing_requests: pairings::list(conn, now).await?.len(),
    })
}

fn lines(status: &Status) -> Vec<String> {
    let yes = |holds: bool, yes: &str, no: &str| match holds {
        true => paint(Paint::Green, yes),
        false => paint(Paint::Red, no),
    };
    let mut lines = vec![
        format!(
            "Clifford   {} {}",
            status.version,
            yes(status.running, "runs", "does not run; `clifford serve` starts it")
        ),
        format!("settings   {}", status.settings),
        format!("database   {}", status.database),
    ];
    if let Some(api) = &status.api {
        let silent = match api.taken {
            true => "is in use by another program; set http.bind to another port",
            false => "does not answer",
        };
        lines.push(format!(
            "api        {} {}",
            api.address,
            yes(api.answers, "answers", silent)
        ));
    }
    lines.extend(status.platforms.iter().map(|platform| {
        let why = platform.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        format!(
            "{:<10} {}{why}",
            platform.platform,
            yes(platform.connected, "connected", "not connected")
        )
    }));
    let Some(work) = &status.work else {
        lines.push("There is no database yet; `clifford serve` makes it.".to_owned());
        return lines;
    };
    lines.push(format!(
        "runs       {} at work, {} waiting",
        work.running_runs, work.pending_runs
    ));
    lines.push(format!(
        "outbox     {} waiting, {} given up",
        work.outbox, work.failed_messages
    ));
    if work.approvals > 0 {
        lines.push(format!(
            "approvals  {} (`clifford runs list --status waiting`)",
            work.approvals
        ));
    }
    if work.pairing_requests > 0 {
        lines.push(format!("pairing    {} (`clifford pair list`)", work.pairing_requests));
    }
    lines
}
