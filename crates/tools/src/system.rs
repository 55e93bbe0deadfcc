//! `system`: whether Clifford is there, and how it is.

use std::collections::BTreeMap;

use clifford_core::{clock::Timestamp, people::UserRole, policy::class::Class};
use clifford_delivery::receiver::lease_name;
use clifford_store::{leases, memory::items::Viewer, messages::queue_depth, people::users, runs::views as run_views};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Command, Tool, ToolContext, ToolError};

#[derive(Deserialize, JsonSchema)]
struct NoArgs {}

#[derive(Serialize)]
struct Pong {
    pong: bool,
    version: &'static str,
    now: Timestamp,
}

/// How the bot is.
#[derive(Debug, PartialEq, Serialize)]
struct Status {
    version: &'static str,
    now: Timestamp,
    uptime_seconds: u64,
    runs: BTreeMap<String, i64>,
    undelivered_messages: i64,
    /// By platform: whether a process keeps it connected.
    platforms: BTreeMap<String, bool>,
    /// The models in order of preference, for owners alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    providers: Option<Vec<String>>,
    /// By MCP server: whether its tools can be called now; for owners alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp_servers: Option<BTreeMap<String, bool>>,
}

pub(super) fn tool() -> Tool {
    Tool::new("system", "🩺", "how the bot is")
        .about("Whether Clifford is there, its version and time, and how it is: queue, platforms, models.")
        .command(Command::new("ping", "version, time", Class::Read, ping))
        .command(Command::new("status", "uptime, queue", Class::Read, status).about(
            "Uptime, runs and messages in the queue, connected platforms; for owners also the models and MCP servers.",
        ))
}

async fn ping(cx: ToolContext, _: NoArgs) -> Result<Pong, ToolError> {
    cx.db.read().await?;
    Ok(Pong {
        pong: true,
        version: env!("CARGO_PKG_VERSION"),
        now: cx.clock.now(),
    })
}

async fn status(cx: ToolContext, _: NoArgs) -> Result<Status, ToolError> {
    let (now, about) = (cx.clock.now(), &cx.services.about);
    let mut conn = cx.db.read().await?;
    let counts = run_views::counts(&mut conn, now).await?;
    let (undelivered_messages, _) = queue_depth::undelivered(&mut conn).await?;
    let mut platforms = BTreeMap::new();
    for platform in &about.platforms {
        let holder = leases::holder(&mut conn, &lease_name(platform, 0), now).await?;
        platforms.insert(platform.clone(), holder.is_some());
    }
    let asker = match cx.user {
        Some(user) => users::get(&mut conn, user).await?,
        None => None,
    };
    let alone = matches!(cx.viewer, Viewer::Private);
    let is_owner = asker.is_some_and(|user| user.role == UserRole::Owner);
    Ok(Status {
        version: env!("CARGO_PKG_VERSION"),
        now,
        uptime_seconds: now.since(about.started_at.unwrap_or(now)).as_secs(),
        runs: (counts.into_iter())
            .map(|(status, count)| (status.to_string(), count))
            .collect(),
        undelivered_messages,
        platforms,
        providers: (alone && is_owner).then(|| about.providers.clone()),
        mcp_servers: Some(cx.registry.servers()).filter(|servers| alone && is_owner && !servers.is_empty()),
    })
}
