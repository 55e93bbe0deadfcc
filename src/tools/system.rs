//! `system`: whether Clifford is there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Class, Command, Tool, ToolContext, ToolError};
use crate::clock::Timestamp;

#[derive(Deserialize, JsonSchema)]
struct PingArgs {}

#[derive(Serialize)]
struct Pong {
    pong: bool,
    version: &'static str,
    now: Timestamp,
}

pub(super) fn tool() -> Tool {
    Tool::new("system", "🩺", "whether all is well").command(Command::new(
        "ping",
        "version and time",
        Class::Read,
        ping,
    ))
}

async fn ping(cx: ToolContext, _: PingArgs) -> Result<Pong, ToolError> {
    cx.db.read().await?;
    Ok(Pong {
        pong: true,
        version: env!("CARGO_PKG_VERSION"),
        now: cx.clock.now(),
    })
}
