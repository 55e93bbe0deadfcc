//! `clifford mcp list`, `clifford mcp remove`.

use anyhow::bail;
use serde_json::{Value, json};

use super::file::SettingsFile;
use crate::cli::{
    output::{self, Format},
    setup::Globals,
};

/// Lists the servers of the settings. Nothing is connected to.
pub(super) fn list(globals: &Globals, format: Format) -> anyhow::Result<()> {
    let loaded = globals.load()?;
    let servers = loaded.config.tools.of("mcp").as_array().cloned().unwrap_or_default();
    if format.json {
        let shown: Vec<_> = servers.iter().map(rendered).collect();
        return output::json(&shown);
    }
    let rows = servers.iter().map(|server| {
        let shown = rendered(server);
        let text = |key: &str| shown[key].as_str().unwrap_or_default().to_owned();
        let used = if shown["enabled"] == false { "no" } else { "yes" };
        [
            text("name"),
            text("reach"),
            used.to_owned(),
            classes(&shown["classes"]),
            name_list(&shown["trusted"]),
        ]
    });
    output::table(
        ["NAME", "REACH", "USED", "CLASSES", "TRUSTED"],
        rows.collect(),
        "there are no MCP servers; `clifford mcp add` connects one",
    )
}

/// A server without what may be secret: its environment, headers, arguments, and what stands in its address.
fn rendered(server: &Value) -> Value {
    let url = server["url"].as_str().map(clifford_vault::redact_url);
    let reach = url.or_else(|| server["command"].as_str().map(str::to_owned));
    json!({
        "name": server["name"],
        "reach": reach,
        "enabled": server["enabled"].as_bool().unwrap_or(true),
        "classes": server.get("classes").cloned().unwrap_or_else(|| json!({})),
        "trusted": server.get("trusted").cloned().unwrap_or_else(|| json!([])),
    })
}

fn classes(classes: &Value) -> String {
    let classes = classes.as_object().into_iter().flatten();
    let set: Vec<_> = classes
        .map(|(tool, class)| format!("{tool}={}", class.as_str().unwrap_or_default()))
        .collect();
    set.join(", ")
}

fn name_list(names: &Value) -> String {
    let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.collect::<Vec<_>>().join(", ")
}

/// Takes a server out of the file.
pub(super) fn remove(globals: &Globals, name: &str, format: Format) -> anyhow::Result<()> {
    let mut file = SettingsFile::open(globals)?;
    if !file.remove(name) {
        let path = file.path().display();
        bail!("there is no MCP server `{name}` in {path}; `clifford mcp list` shows them");
    }
    file.save(globals)?;
    if format.json {
        return output::json(&json!({ "name": name, "removed": true, "path": file.path() }));
    }
    output::print(&format!("{name}: taken out of {}", file.path().display()))
}
