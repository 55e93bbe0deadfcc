//! `configuration.md`: every key of `bot.toml`.

use std::fmt::Write;

use serde_json::Value;

use super::{cell, compare};
use crate::app::PLATFORMS;

/// The section that shows the keys which every tool has.
pub(super) const COMMON_AT: &str = "tools.tools";

const HEAD: &str = "\
# Reference: configuration

This page lists every key of `bot.toml` with its type, its default and its effect. A test generates it from the types.

`bot.toml.example` shows the same keys as a file to copy. `clifford config check` names each mistake with its line.
`clifford config show` prints the values in force, and `clifford config schema` the JSON schema for an editor.

## Where values come from

A later source overrides an earlier one:

1. the default
2. the environment variables of the table below
3. the file: `--config PATH`, else `bot.toml` in the working directory, else in `~/.config/clifford/`
4. `CLIFFORD_SECTION__KEY`, such as `CLIFFORD_HTTP__BIND` for `bind` of `[http]`
5. `--set section.key=value`

Settings that are changed while the bot runs (`clifford settings`, `tools`, `policy`) are rows of the database and hold on top.

| variable | effect where the file does not say it |
| --- | --- |
| `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL` | a provider of the kind `openai` |
| `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`, `ANTHROPIC_MODEL` | a provider of the kind `anthropic`, if no variable of OpenAI is set |
PLATFORMS
| `DATABASE_URL` | the database |
| `CLIFFORD_API_TOKEN` | an owner's token for the API |
| `CLIFFORD_SECRET_KEY` | nothing by itself: `[secrets] key = { env = \"CLIFFORD_SECRET_KEY\" }` reads it |
| `OTEL_EXPORTER_OTLP_HEADERS` | headers for the collector of traces |
| `XDG_DATA_HOME`, `XDG_CONFIG_HOME` | where the data directory and the configuration are |

The provider's variables count only if there is no `[[llm.providers]]`; the platforms' and the database's only if there is no
file. A *secret* is `{ env = \"NAME\" }`, `{ file = \"PATH\" }` or the text itself.
";

fn page() -> String {
    let rows = PLATFORMS.rows().map(|row| &row.about);
    let rows: Vec<_> = rows
        .map(|about| format!("| `{}` | turns {} on |", about.token_variable, about.title))
        .collect();
    let mut text = HEAD.replace("PLATFORMS", &rows.join("\n"));
    sections(&mut text, &clifford_config::schema(PLATFORMS), "");
    text
}

/// Writes the keys of a table, then the tables in it.
fn sections(text: &mut String, table: &Value, path: &str) {
    let keys = table["properties"].as_object().unwrap().iter();
    let keys = keys.filter(|(_, key)| key["x-common"] != true || path == COMMON_AT);
    let (tables, own): (Vec<_>, Vec<_>) = keys.partition(|(_, key)| inner(key).is_some());
    if !own.is_empty() {
        text.push_str("\n| key | type | default | effect |\n| --- | --- | --- | --- |\n");
    }
    for (name, key) in own {
        let told = cell(key["description"].as_str().unwrap());
        writeln!(
            text,
            "| `{name}` | {} | {} | {told} |",
            cell(&kind(key)),
            cell(&default(key))
        )
        .unwrap();
    }
    for (name, key) in tables {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let inner = inner(key).unwrap();
        let keys = inner["properties"].as_object().unwrap().values();
        let mut own = keys.filter(|key| key["x-common"] != true || path == COMMON_AT);
        if own.any(|key| self::inner(key).is_none()) {
            let list = if key.get("items").is_some() {
                format!("\n\nA list: each entry begins with `[[{path}]]`.")
            } else {
                String::new()
            };
            write!(text, "\n## {path}\n\n{}{list}\n", key["description"].as_str().unwrap()).unwrap();
        }
        sections(text, inner, &path);
    }
}

/// The table that a key holds, or a list of which it holds.
pub(super) fn inner(key: &Value) -> Option<&Value> {
    let table = if key.get("items").is_some() { &key["items"] } else { key };
    table.get("properties").map(|_| table)
}

/// The shape of an optional key when it is there; any other key is its own.
pub(super) fn present(key: &Value) -> &Value {
    let mut alternatives = key["anyOf"].as_array().into_iter().flatten();
    alternatives.find(|one| one["type"] != "null").unwrap_or(key)
}

fn kind(key: &Value) -> String {
    let shape = present(key);
    if key["writeOnly"] == true {
        return "secret".to_owned();
    }
    let choices: Vec<_> = shape["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["const"].as_str())
        .collect();
    if !choices.is_empty() {
        let choices: Vec<_> = choices.iter().map(|choice| format!("`{choice}`")).collect();
        return choices.join(", ");
    }
    let kind = match &shape["type"] {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|kind| *kind != "null")
            .unwrap(),
        _ => "string",
    };
    let kind = match (shape["format"].as_str(), kind) {
        (Some("http-url" | "database-url"), _) => "URL",
        (Some("socket-address"), _) => "address and port",
        (Some("time-zone"), _) => "time zone",
        (Some("log-filter"), _) => "level or filter",
        (_, "boolean") => "`true`, `false`",
        (_, "integer") => "integer",
        (_, "array") => "list",
        (_, "object") => "table",
        (_, kind) => kind,
    };
    match (&shape["minimum"], &shape["maximum"]) {
        (Value::Number(least), Value::Number(most)) => format!("{kind}, {least} to {most}"),
        _ => kind.to_owned(),
    }
}

/// The default; an example where there is none.
fn default(key: &Value) -> String {
    let written = |value: &Value| format!("`{}`", toml::Value::try_from(value).unwrap());
    match (&key["default"], &key["examples"][0]) {
        (Value::Null, Value::Null) => String::new(),
        (Value::Null, example) => format!("none; such as {}", written(example)),
        (default, example) if default == "" || default.as_array().is_some_and(Vec::is_empty) && !example.is_null() => {
            format!("none; such as {}", written(example))
        }
        (default, _) => written(default),
    }
}

#[test]
fn the_page_of_the_configuration_is_what_the_types_say() {
    compare("configuration.md", &page());
}
