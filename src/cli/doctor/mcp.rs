//! Whether each MCP server of the settings can be used.

use clifford_config::{Config, Secrets};
use clifford_tools::{
    Services,
    mcp::{self, About},
};

use super::{Check, Report};
use crate::cli::output;

pub(super) async fn examine(config: &Config, secrets: &Secrets, report: &mut Report) -> anyhow::Result<()> {
    let services = Services {
        config: config.tools.clone(),
        secrets: secrets.tools.clone(),
        ..Services::default()
    };
    for endpoint in mcp::endpoints(&services) {
        let outcome = mcp::probe(&endpoint).await;
        report.add(check(&endpoint.name, outcome))?;
    }
    Ok(())
}

fn check(server: &str, outcome: Result<(About, usize), String>) -> Check {
    const NAME: &str = "mcp";
    match outcome {
        Ok((About { name, version }, 0)) => Check::warn(
            NAME,
            format!("{server}: {name} {version} offers no tools"),
            format!("see include and exclude of `{server}` in [[tools.mcp]], and what the server needs to offer some"),
        ),
        Ok((About { name, version }, tools)) => Check::ok(
            NAME,
            format!("{server}: {name} {version}, {}", output::count(tools, "tool", None)),
        ),
        Err(why) => Check::fail(
            NAME,
            format!("{server}: {why}"),
            format!(
                "see command, args, env and cwd, or url and token, of `{server}` in [[tools.mcp]]; \
                 with log.level = \"debug\" its own log is shown"
            ),
        ),
    }
}
