//! Who may know whom, inside of `src/`: what cargo cannot enforce between modules of one crate.

use std::{collections::BTreeSet, fs, path::Path};

/// What no rule may name: what it works with comes in as an argument. That it knows no runtime, driver or client is
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

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn rules_see_no_io() {
    let clock = root().join("crates/core/src/clock.rs");
    for path in rust_files(&root().join("crates/core/src")) {
        let text = source(&path);
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for word in IMPURE.iter().filter(|word| path != clock || **word != "Timestamp::now") {
            assert!(!text.contains(word), "{} names `{word}`", path.display());
        }
    }
}

#[test]
fn there_is_no_sql_outside_of_the_store() {
    let rules = rust_files(&root().join("crates/core/src"));
    for path in rust_files(&root().join("src")).into_iter().chain(rules) {
        if path.starts_with(root().join("src/store")) {
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

/// What a text outside of its tests names of this crate, down to the second level: `engine::step` for
/// `use crate::{clock::Clock, engine::step::Step}`.
fn named(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        below("", &text[at + "crate::".len()..], 2, &mut found);
    }
    found
}

/// Adds what a path, or a group of them, begins with.
fn below(before: &str, text: &str, levels: usize, found: &mut BTreeSet<String>) {
    if let Some(group) = text.strip_prefix('{') {
        let (mut depth, mut begin) = (0, 0);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    below(before, group[begin..at].trim_start(), levels, found);
                    begin = at + 1;
                    if c == '}' {
                        return;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        return;
    }
    let end = text.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    if name.is_empty() {
        return;
    }
    let path = format!("{before}{name}");
    if let (Some(rest), 2..) = (rest.strip_prefix("::"), levels) {
        below(&format!("{path}::"), rest, levels - 1, found);
    }
    found.insert(path);
}

#[test]
fn names_are_found_in_groups_and_in_paths() {
    let text =
        "use crate::{\n    clock::Clock,\n    engine::{\n        Engine,\n        step::{Step, Spent},\n    },\n};\n
                fn f() { crate::store::get(); }\n#[cfg(test)]\nmod tests { use crate::http; }";
    let expected = [
        "clock",
        "clock::Clock",
        "engine",
        "engine::Engine",
        "engine::step",
        "store",
        "store::get",
    ];
    assert_eq!(named(text), expected.map(str::to_owned).into());
}

#[test]
fn arrows_point_one_way() {
    const WAYS_IN: [&str; 6] = ["app", "cli", "commands", "http", "ingress", "receiver"];
    // Rooms and files, what they may not name besides the ways in, and what of that they may.
    let arrows: [(&str, &[&str], &[&str]); 6] = [
        (
            "store",
            &["delivery", "engine", "jobs", "memory", "settings", "tools", "triggers"],
            &[],
        ),
        ("search", &["delivery", "engine", "memory", "tools"], &[]),
        ("engine", &["jobs", "housekeeping"], &[]),
        // A tool works with what a run hands to it.
        (
            "tools",
            &["delivery", "engine", "jobs"],
            &["engine::crash", "receiver::lease_name"],
        ),
        (
            "delivery",
            &["tools", "memory", "engine", "triggers"],
            &["engine::crash"],
        ),
        // What the engine reads of memory knows no engine; the writer's job asks a model through it.
        ("memory", &["delivery", "engine", "tools"], &[]),
    ];
    let of_the_writer = ["writer.rs", "asking.rs", "closing.rs"];
    for (room, forbidden, allowed) in arrows {
        let head = root().join(format!("src/{room}.rs"));
        let head = Some(head).filter(|head| head.exists());
        for path in rust_files(&root().join("src").join(room)).into_iter().chain(head) {
            if room == "memory" && of_the_writer.iter().any(|file| path.ends_with(file)) {
                continue;
            }
            let names = named(&source(&path));
            for name in names.iter().filter(|name| name.contains("::")) {
                let owner = name.split("::").next().unwrap_or_default();
                let is_wrong = WAYS_IN.contains(&owner) || forbidden.contains(&owner);
                assert!(
                    !is_wrong || allowed.contains(&name.as_str()),
                    "{} names {name}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn only_the_adapters_name_their_libraries() {
    let owners = [("serenity", "channels/discord"), ("teloxide", "channels/telegram")];
    for (library, owner) in owners {
        for dir in ["src", "crates", "channels"] {
            for path in rust_files(&root().join(dir)) {
                if path.starts_with(root().join(owner)) {
                    continue;
                }
                let uses = source(&path).lines().any(|line| line.contains(&format!("{library}::")));
                assert!(!uses, "{} names {library}", path.display());
            }
        }
    }
}

#[test]
fn only_the_two_sides_of_mcp_name_its_library() {
    let owners = ["src/tools/mcp", "src/cli/mcp"].map(|owner| root().join(owner));
    for path in rust_files(&root().join("src")) {
        let owned = owners.iter().any(|owner| path.starts_with(owner));
        assert!(
            owned || !source(&path).contains("rmcp::"),
            "{} names rmcp",
            path.display()
        );
    }
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
