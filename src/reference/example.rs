//! `bot.toml.example` is made of the keys' own explanations and defaults, and stays true to them.

use std::{fmt::Write, path::Path};

use clifford_config::{Agent, Budget, Config, Files, Provider, Roles, StoredSecrets, Telemetry, TokenPrices, schema};
use clifford_core::settings::RateLimit;
use clifford_tools::{Common, ToolSettings};
use serde_json::Value;

use super::{
    compare_file,
    configuration::{COMMON_AT, inner, present},
};
use crate::app::PLATFORMS;

const HEAD: &str = "\
# Every key of Clifford's configuration, with its default, or with an example where there is none.
#
# Copy this file to bot.toml, and remove the `#` before what you change (and before its section).
# An environment variable goes before the file: CLIFFORD_HTTP__BIND for `bind` of [http], and so on.
# A secret is { env = \"NAME\" }, { file = \"PATH\" }, or the text itself.
";

fn example() -> String {
    let mut text = HEAD.to_owned();
    sections(&mut text, &schema(PLATFORMS), "", false);
    text
}

/// Writes a table's own keys, then the tables and lists of tables in it.
fn sections(text: &mut String, table: &Value, path: &str, in_list: bool) {
    let keys = table["properties"].as_object().unwrap();
    // The keys that every tool has are shown once.
    let shown = keys
        .iter()
        .filter(|(_, key)| key["x-common"] != true || path == COMMON_AT);
    let (sections, own): (Vec<_>, Vec<_>) = shown.partition(|(_, key)| inner(key).is_some());
    for (name, key) in own {
        writeln!(text, "{}\n#{name} = {}", comment(key), value(key, in_list)).unwrap();
    }
    for (name, section) in sections {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let optional = if section["type"].is_array() { "#" } else { "" };
        if let Some(element) = section.get("items") {
            writeln!(text, "\n{}\n#[[{path}]]", comment(section)).unwrap();
            self::sections(text, element, &path, true);
        } else {
            let keys = section["properties"].as_object().unwrap().values();
            let mut shown = keys.filter(|key| key["x-common"] != true || path == COMMON_AT);
            let empty = shown.all(|key| inner(key).is_some());
            if !empty {
                writeln!(text, "\n{}\n{optional}[{path}]", comment(section)).unwrap();
            }
            self::sections(text, section, &path, false);
        }
    }
}

fn comment(key: &Value) -> String {
    let lines = key["description"].as_str().unwrap().lines();
    lines.map(|line| format!("# {line}")).collect::<Vec<_>>().join("\n")
}

/// A key's default, else its example. In lists the example goes first, as each element needs a name of its own.
fn value(key: &Value, in_list: bool) -> toml::Value {
    let candidates = [&key["default"], &key["examples"][0]];
    let candidates = if in_list && key["default"] != "main" {
        [candidates[1], candidates[0]]
    } else {
        candidates
    };
    let found = candidates.into_iter().find(|value| !value.is_null()).unwrap();
    toml::Value::try_from(found).unwrap()
}

/// The line without its `#`, if it is a setting or a section that is commented out.
fn uncommented(line: &str) -> Option<&str> {
    line.strip_prefix('#')
        .filter(|rest| !rest.is_empty() && !rest.starts_with(' '))
}

/// The paths of all keys, those of lists' elements as `llm.providers[].name`.
fn paths(table: &Value) -> Vec<String> {
    let keys = table["properties"].as_object().into_iter().flatten();
    let with_inner = keys.flat_map(|(name, key)| {
        let list = if key.get("items").is_some() { "[]" } else { "" };
        let below = inner(key).map(paths).unwrap_or_default();
        let below = below.into_iter().map(move |path| format!("{name}{list}.{path}"));
        std::iter::once(name.clone()).chain(below)
    });
    with_inner.collect()
}

/// Whether a file has this key; in a list its first element has.
fn holds(file: &toml::Value, path: &str) -> bool {
    let mut segments = path.split('.');
    let found = segments.try_fold(file, |value, segment| match segment.strip_suffix("[]") {
        Some(list) => value.get(list)?.get(0),
        None => value.get(segment),
    });
    found.is_some()
}

fn parse(text: &str) -> Config {
    Config::parse(text, Path::new("bot.toml"), PLATFORMS).unwrap()
}

#[test]
fn the_example_file_is_what_the_types_say() {
    compare_file("bot.toml.example", &example());
}

#[test]
fn the_example_file_as_it_is_means_the_defaults() {
    assert_eq!(parse(&example()), parse(""));
}

#[test]
fn each_line_of_the_example_file_may_be_used_alone() {
    let mut section = String::new();
    let mut tried = 0;
    for line in example().lines() {
        match uncommented(line) {
            Some(header) if header.starts_with('[') => section = header.to_owned(),
            Some(setting) => {
                let over_http = ["url", "token", "headers"].iter().any(|key| setting.starts_with(key));
                let needed = match section.as_str() {
                    "[[agents]]" | "[[profiles]]" => &[("name", "name = \"Ada\"\n")][..],
                    "[[tools.mcp]]" if over_http => &[("name", "name = \"a\"\n"), ("url", "url = \"http://a\"\n")],
                    "[[tools.mcp]]" => &[("name", "name = \"a\"\n"), ("command", "command = \"a\"\n")],
                    _ => &[],
                };
                let needed = needed.iter().filter(|(key, _)| !setting.starts_with(key));
                let needed: String = needed.map(|(_, line)| *line).collect();
                parse(&format!("{section}\n{needed}{setting}"));
                tried += 1;
            }
            None if line.starts_with('[') => section = line.to_owned(),
            None => {}
        }
    }
    assert!(tried > 70, "{tried} settings");
}

#[test]
fn the_example_file_names_every_key_with_its_default() {
    let example = example();
    let all: Vec<_> = example.lines().map(|line| uncommented(line).unwrap_or(line)).collect();
    let text = all.join("\n");
    let written = toml::Value::Table(text.parse().unwrap());
    let missing: Vec<_> = paths(&schema(PLATFORMS))
        .into_iter()
        .filter(|path| !holds(&written, path))
        .filter(
            |path| match path.strip_prefix("tools.").map(|tool| tool.split_once('.')) {
                // A tool without keys of its own has no section here.
                Some(None) => false,
                Some(Some((_, key))) => !Common::has(key),
                None => true,
            },
        )
        .collect();
    assert_eq!(missing, Vec::<String>::new());

    // A server is a program or a URL, not both.
    let of_program = |line: &&str| {
        !["url = ", "token = { env = \"MCP", "headers = "]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let text = text.lines().filter(of_program).collect::<Vec<_>>().join("\n");
    let mut config = parse(&text);
    let examples = parse(&text);
    config.database.url = None;
    config.data.dir = None;
    config.agents = vec![Agent {
        name: "Clifford".to_owned(),
        ..examples.agents[0].clone()
    }];
    let provider = config.llm.providers.remove(0);
    let provider = Provider {
        key: None,
        images: None,
        context_tokens: None,
        first_token_timeout_seconds: None,
        max_tokens: None,
        prices: TokenPrices::default(),
        ..provider
    };
    config.http.public_url = None;
    // A key without a default is shown with an example.
    let channels = serde_json::to_value(std::mem::take(&mut config.channels)).unwrap();
    for row in PLATFORMS.rows() {
        let mut shown = channels[row.about.platform.as_str()].clone();
        for key in ["dev_guild", "webhook_url", "local_dir"] {
            shown.as_object_mut().unwrap().remove(key);
        }
        assert_eq!(row.read(shown), Ok(row.default_section()));
    }
    assert_eq!(
        (config.agents.as_slice(), provider),
        ([Agent::default()].as_slice(), Provider::default())
    );
    assert_eq!(config.policies.len(), 1);
    config.policies.clear();
    let files = Files {
        endpoint: None,
        bucket: None,
        access_key: None,
        secret_key: None,
        ..std::mem::take(&mut config.files)
    };
    assert_eq!(files, Files::default());
    config.agents.clear();
    let usual = Budget {
        cost: None,
        tokens: None,
        ..config.budgets.remove(0)
    };
    assert_eq!((usual, config.budgets.len()), (Budget::default(), 0));
    assert_eq!(config.llm.roles.set().count(), 5);
    config.llm.roles = Roles::default();
    assert_eq!(config.llm.choices.len(), 1);
    config.llm.choices.clear();
    assert_eq!(config.ingress.limits, [RateLimit::default()]);
    config.ingress.limits.clear();
    config.engine.max_run_cost = None;
    config.engine.max_run_tokens = None;
    config.engine.transcript_token_limit = None;
    config.profiles.clear();
    // Of what has no default, the file shows examples.
    config.tools = ToolSettings::default();
    config.secrets = StoredSecrets::default();
    config.telemetry = Telemetry::default();
    assert_eq!(config, Config::default());
}

#[test]
fn no_platform_repeats_a_key_that_all_have() {
    let mut generator = schemars::SchemaGenerator::default();
    let repeated = PLATFORMS.rows().flat_map(|row| row.repeated(&mut generator));
    assert_eq!(repeated.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn every_key_is_explained_and_every_number_bounded() {
    fn walk(path: &str, key: &Value, faults: &mut Vec<String>) {
        if !path.is_empty() && key["description"].as_str().is_none_or(|text| !text.ends_with('.')) {
            faults.push(format!("{path} has no sentence"));
        }
        let shape = present(key);
        let takes = |kind: &str| match &shape["type"] {
            Value::Array(kinds) => kinds.iter().any(|one| one == kind),
            only => only == kind,
        };
        let is_number = takes("integer") && !takes("string") || takes("number");
        if is_number && !(shape["minimum"].is_number() && shape["maximum"].is_number()) {
            faults.push(format!("{path} has no bounds"));
        }
        for (name, key) in key["properties"].as_object().into_iter().flatten() {
            walk(&format!("{path}.{name}"), key, faults);
        }
        if let Some(items) = key.get("items").filter(|items| items.get("properties").is_some()) {
            walk(&format!("{path}[]"), items, faults);
        }
    }
    let mut faults = Vec::new();
    walk("", &schema(PLATFORMS), &mut faults);
    assert_eq!(faults, Vec::<String>::new());
}
