//! Who may know whom, inside of `src/`: what cargo cannot enforce between modules of one crate.

use std::{fs, path::Path};

/// Files that hold rules: they see no I/O, no clock, no randomness.
const PURE: &[&str] = &[
    "src/engine/state.rs",
    "src/engine/decide.rs",
    "src/engine/gates.rs",
    "src/engine/effects.rs",
    "src/engine/approval.rs",
    "src/policy/built_in.rs",
    "src/policy/condition.rs",
    "src/policy/judge.rs",
    "src/policy/question.rs",
    "src/policy/rule.rs",
    "src/policy/words.rs",
    "src/engine/rules.rs",
    "src/engine/similar.rs",
    "src/engine/sentences.rs",
    "src/engine/transcript.rs",
    "src/access.rs",
    "src/fetch/address.rs",
    "src/fetch/content.rs",
    "src/fetch/target.rs",
];

/// What none of them may name.
const IMPURE: [&str; 9] = [
    "tokio",
    "sqlx",
    "reqwest",
    "std::fs",
    "std::env",
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
    for file in PURE {
        let text = source(&root().join(file));
        for word in IMPURE {
            assert!(!text.contains(word), "{file} names `{word}`");
        }
    }
}

#[test]
fn there_is_no_sql_outside_of_the_store() {
    for path in rust_files(&root().join("src")) {
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

#[test]
fn arrows_point_one_way() {
    // (room, what it may not name)
    let arrows = [
        (
            "src/store",
            &[
                "crate::engine::session",
                "crate::ingress",
                "crate::delivery",
                "crate::http",
                "crate::cli",
                "crate::app",
            ][..],
        ),
        (
            "src/engine",
            &[
                "crate::ingress",
                "crate::http",
                "crate::cli",
                "crate::app",
                "crate::receiver",
            ],
        ),
        (
            "src/tools",
            &[
                "crate::ingress",
                "crate::http",
                "crate::cli",
                "crate::app",
                "crate::delivery",
            ],
        ),
        (
            "src/delivery",
            &[
                "crate::ingress",
                "crate::http",
                "crate::cli",
                "crate::app",
                "crate::tools",
            ],
        ),
        (
            "src/memory",
            &[
                "crate::ingress",
                "crate::http",
                "crate::cli",
                "crate::app",
                "crate::engine",
            ],
        ),
    ];
    for (room, forbidden) in arrows {
        for path in rust_files(&root().join(room)) {
            let text = source(&path);
            for word in forbidden {
                assert!(!text.contains(word), "{} names `{word}`", path.display());
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
