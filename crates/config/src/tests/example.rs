//! `bot.toml.example` is made of the keys' own explanations and defaults, and stays true to them.

use std::fmt::Write;

use clifford_core::settings::RateLimit;
use clifford_tools::{Common, ToolSettings};
use serde_json::Value;

use super::PLATFORMS;
use crate::{
    Agent, Budget, Config, Files, Provider, Roles, StoredSecrets, Telemetry, TokenPrices,
    nearest::paths,
    shape::{Shape, schema},
    tree,
};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bot.toml.example");

/// The section in which that stands which every tool has.
const COMMON_AT: &str = "tools.tools";

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
    let (sections, own): (Vec<_>, Vec<_>) = shown.partition(|(_, key)| is_section(Shape::new(key)));
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
            let empty = shown.all(|key| is_section(Shape::new(key)));
            if !empty {
                writeln!(text, "\n{}\n{optional}[{path}]", comment(section)).unwrap();
            }
            self::sections(text, section, &path, false);
        }
    }
}

/// Whether a key is a table, or a list of tables.
fn is_section(shape: Shape<'_>) -> bool {
    shape.takes("object") && !shape.is_map() || shape.items().is_some_and(|items| items.takes("object"))
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

fn parse(text: &str) -> Config {
    Config::parse(text, "bot.toml".as_ref(), PLATFORMS).unwrap()
}

#[test]
fn the_example_file_is_what_the_types_say() {
    if std::env::var_os("UPDATE_EXAMPLE").is_some() {
        std::fs::write(FILE, example()).unwrap();
    }
    let file = std::fs::read_to_string(FILE).unwrap();
    assert_eq!(
        file,
        example(),
        "to write it anew: UPDATE_EXAMPLE=1 cargo test -p clifford-config example"
    );
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
    let tree = tree::read(&text, &std::path::Path::new("bot.toml").into()).unwrap();
    let schema = schema(PLATFORMS);
    let missing: Vec<_> = paths(Shape::new(&schema))
        .into_iter()
        .filter(|path| tree.find(&path.replace("[]", "[0]")).is_none())
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
        let shape = Shape::new(key);
        let number = shape.takes("integer") && !shape.takes("string") || shape.takes("number");
        if number && !matches!(shape.range(), (Some(_), Some(_))) {
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
