//! Rules of architecture that Cargo cannot express: that rules see no clock and no disk, that SQL and the
//! library of MCP have one owner, that the program alone has features.

use std::{fs, path::Path};

/// Names that no rule may use: its inputs come in as arguments. That it knows no runtime, driver or client is
/// Cargo's to say.
const IMPURE: [&str; 7] = [
    "std::fs",
    "std::env",
    "std::net::Tcp",
    "SystemTime",
    "Instant",
    "Timestamp::now",
    ".await",
];

fn source(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rust_files(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// A source without its modules of tests. Each leaves its line breaks, so that other lines keep their numbers.
pub fn without_tests(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        let module = lines.next_if(|next| line.trim() == "#[cfg(test)]" && is_module(next));
        let Some(module) = module else {
            kept.push_str(line);
            kept.push('\n');
            continue;
        };
        kept.push_str("\n\n");
        if module.ends_with('{') && !module.ends_with("{}") {
            for line in lines.by_ref() {
                kept.push('\n');
                // Only the end of the module stands as far left as its beginning.
                if line == "}" {
                    break;
                }
            }
        }
    }
    kept
}

fn is_module(line: &str) -> bool {
    let word = line.strip_prefix("pub(crate) ").unwrap_or(line);
    word.starts_with("mod ")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn rules_see_no_io() {
    let clock = root().join("crates/core/src/clock.rs");
    for path in rust_files(&root().join("crates/core/src")) {
        let text = without_tests(&source(&path));
        for word in IMPURE.iter().filter(|word| path != clock || **word != "Timestamp::now") {
            assert!(!text.contains(word), "{} names `{word}`", path.display());
        }
    }
}

#[test]
fn a_source_is_read_on_behind_its_tests() {
    let text =
        "use a;\n#[cfg(test)]\nmod inner;\nuse std::fs;\n\n#[cfg(test)]\nmod tests {\n    fn x() {\n    }\n}\nuse b;\n";
    assert_eq!(without_tests(text), "use a;\n\n\nuse std::fs;\n\n\n\n\n\n\nuse b;\n");
}

#[test]
fn there_is_no_sql_outside_of_the_store() {
    // The benchmark fills databases of its own.
    let owners = ["crates/store", "crates/bench"].map(|owner| root().join(owner));
    for path in ["src", "crates", "channels"]
        .iter()
        .flat_map(|dir| rust_files(&root().join(dir)))
    {
        if owners.iter().any(|owner| path.starts_with(owner)) {
            continue;
        }
        let text = source(&path);
        for word in [
            "sqlx::query",
            "INSERT INTO",
            "DELETE FROM",
            "SELECT id",
            "UPDATE runs",
            "UPDATE messages",
        ] {
            assert!(!text.contains(word), "{} names `{word}`", path.display());
        }
    }
}

#[test]
fn only_the_two_sides_of_mcp_name_its_library() {
    let owners = [
        "crates/tools/src/mcp",
        "crates/tools/src/mcp.rs",
        "src/cli/mcp",
        "src/cli/mcp.rs",
    ]
    .map(|owner| root().join(owner));
    for path in ["src", "crates"].iter().flat_map(|dir| rust_files(&root().join(dir))) {
        let owned = owners.iter().any(|owner| path.starts_with(owner));
        assert!(
            owned || !source(&path).contains("rmcp::"),
            "{} names rmcp",
            path.display()
        );
    }
}

/// A part that may be left out of a build is a crate that the program alone chooses, so that all others are built once,
/// the same for every choice.
#[test]
fn only_the_program_has_features() {
    for dir in ["crates", "channels", "tests"] {
        for entry in fs::read_dir(root().join(dir)).expect("a directory") {
            let path = entry.expect("an entry").path().join("Cargo.toml");
            if !path.is_file() {
                continue;
            }
            let manifest: toml::Table = source(&path).parse().expect("a manifest");
            assert!(!manifest.contains_key("features"), "{} has features", path.display());
            let optional = manifest["dependencies"]
                .as_table()
                .into_iter()
                .flatten()
                .find(|(_, dependency)| dependency.get("optional").is_some());
            assert_eq!(optional, None, "{}", path.display());
        }
    }
}

/// A handler of a type of its own costs the build of `http` a tenth of a second and more, and nobody would see why.
#[test]
fn handlers_of_the_api_are_of_one_type() {
    let mut handlers = 0;
    for path in rust_files(&root().join("crates/http/src")) {
        let text = source(&path);
        for described in text.split("#[utoipa::path(").skip(1) {
            let attributes = described.split_once("async fn ").map_or("", |(before, _)| before);
            assert!(attributes.contains("#[handler]"), "{}: {attributes}", path.display());
            handlers += 1;
        }
    }
    assert!(handlers > 100, "{handlers}");
}

#[test]
fn files_stay_short_or_say_why_not() {
    for dir in ["src", "crates", "channels", "tests"] {
        for path in rust_files(&root().join(dir)) {
            let text = source(&path);
            let lines = text.lines().count();
            let says_why = text
                .lines()
                .take(12)
                .any(|line| line.starts_with("//!") && line.contains("is long because"));
            assert!(lines <= 500 || says_why, "{} has {lines} lines", path.display());
        }
    }
}

#[test]
fn the_architecture_is_told_on_a_page() {
    let page = source(&root().join("docs/ARCHITECTURE.md"));
    let lines = page.lines().count();
    assert!(lines <= 120, "docs/ARCHITECTURE.md has {lines} lines");
}
