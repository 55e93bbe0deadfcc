//! Checks of the rules of `bot.toml`.

use clifford_config::Loaded;
use clifford_tools::{Registry, Services, mcp, named};

use super::Check;

/// Whether every rule names tools that are there; `None`: all do.
pub(super) fn named(loaded: &Loaded) -> Option<Check> {
    let registry = Registry::new(loaded.platforms, loaded.config.engine.max_tool_retries);
    let services = Services {
        config: loaded.config.tools.clone(),
        ..Services::default()
    };
    mcp::announce(&registry, &services);
    let faults = loaded.config.policies.iter().enumerate().filter_map(|(place, rule)| {
        let fault = named::fault(&registry, rule)?;
        Some(format!("rule {} (`{}`): {fault}", place + 1, rule.name))
    });
    let faults: Vec<_> = faults.collect();
    (!faults.is_empty()).then(|| Check::warn("rules", faults.join("; "), "mend `tools` in [[policies]] of bot.toml"))
}
