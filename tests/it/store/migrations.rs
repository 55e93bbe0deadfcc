//! Migrations only add: a version that does not know them goes on working.

use std::{collections::BTreeSet, fs, path::Path};

/// The last migration that nobody had to go on working beside.
const ALONE: u32 = 6;

/// A migration of one engine.
struct Migration {
    version: u32,
    name: String,
    text: String,
}

impl Migration {
    /// It says in its name whom it leaves behind.
    fn says_so(&self) -> bool {
        self.name.contains("_needs_")
    }
}

fn migrations(engine: &str) -> Vec<Migration> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(engine);
    let mut found: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            Migration {
                version: name.split('_').next().unwrap().parse().unwrap(),
                text: fs::read_to_string(path).unwrap(),
                name,
            }
        })
        .collect();
    found.sort_by_key(|migration| migration.version);
    found
}

/// The statements of a text as words in upper case, without comments; what a trigger or function does is one of them.
fn statements(text: &str) -> Vec<String> {
    let code: Vec<_> = text
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default())
        .collect();
    let code = code.join(" ").to_uppercase();
    let mut statements = Vec::new();
    let mut open = String::new();
    for piece in code.split(';') {
        open.push_str(piece);
        let words: Vec<_> = open.split_whitespace().collect();
        let within_body = words.contains(&"BEGIN") && words.last() != Some(&"END") && words.contains(&"TRIGGER");
        let within_quotes = open.matches("$$").count() % 2 == 1;
        if within_body || within_quotes {
            open.push(';');
        } else {
            if !words.is_empty() {
                statements.push(words.join(" "));
            }
            open.clear();
        }
    }
    statements
}

/// The name of the table that a statement makes.
fn made(statement: &str) -> Option<String> {
    let rest = ["CREATE TABLE ", "CREATE VIRTUAL TABLE ", "CREATE UNLOGGED TABLE "]
        .iter()
        .find_map(|begin| statement.strip_prefix(begin))?;
    let rest = rest.strip_prefix("IF NOT EXISTS ").unwrap_or(rest);
    rest.split([' ', '(']).next().map(str::to_owned)
}

/// Why whoever knows only these tables cannot go on working after a statement.
fn breaks(statement: &str, tables: &BTreeSet<String>) -> Option<&'static str> {
    let words: Vec<_> = statement
        .split([' ', '(', ')', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let has = |phrase: &[&str]| words.windows(phrase.len()).any(|window| window == phrase);
    let behind = |word: &str| {
        words
            .iter()
            .position(|one| *one == word)
            .and_then(|at| words.get(at + 1))
    };
    match words.first().copied() {
        Some("DROP") => Some("it drops something"),
        Some("DELETE") => Some("it deletes rows"),
        Some("ALTER") => {
            let table = if has(&["TABLE", "ONLY"]) {
                behind("ONLY")
            } else {
                behind("TABLE")
            };
            if table.is_some_and(|table| !tables.contains(*table)) {
                None
            } else if words.contains(&"RENAME") {
                Some("it renames something")
            } else if words.contains(&"DROP") {
                Some("it drops something")
            } else if words.iter().filter(|word| **word == "ALTER").count() > 1 {
                Some("it changes a column")
            } else if words.contains(&"CONSTRAINT")
                || words.iter().any(|word| ["UNIQUE", "CHECK", "PRIMARY"].contains(word))
            {
                Some("it adds a rule to a table that is there")
            } else if has(&["NOT", "NULL"]) && !words.contains(&"DEFAULT") {
                Some("it adds a column that must be given")
            } else {
                None
            }
        }
        Some("CREATE") if words.get(1) == Some(&"UNIQUE") => {
            let table = behind("ON")?;
            tables
                .contains(*table)
                .then_some("it adds a rule to a table that is there")
        }
        _ => None,
    }
}

#[test]
fn migrations_add_or_say_whom_they_leave_behind() {
    for engine in ["sqlite", "postgres"] {
        let mut tables = BTreeSet::new();
        for migration in migrations(engine) {
            let statements = statements(&migration.text);
            if migration.version > ALONE && !migration.says_so() {
                for statement in &statements {
                    assert_eq!(
                        breaks(statement, &tables),
                        None,
                        "migrations/{engine}/{}.sql: {statement}\nA Clifford that does not know it goes on working beside \
                         it. Add first; take away in a later migration that says so (see CONTRIBUTING.md).",
                        migration.name
                    );
                }
            }
            tables.extend(statements.iter().filter_map(|statement| made(statement)));
        }
        assert!(
            tables.contains("RUNS") && tables.contains("MESSAGES"),
            "{engine}: {tables:?}"
        );
    }
}

#[test]
fn what_takes_something_away_is_seen() {
    let tables = BTreeSet::from(["RUNS".to_owned()]);
    let seen = |text: &str| -> Vec<_> {
        let statements = statements(text);
        statements.iter().map(|statement| breaks(statement, &tables)).collect()
    };
    for fine in [
        "CREATE TABLE shards (id BIGINT PRIMARY KEY, n BIGINT NOT NULL CHECK (n > 0));",
        "ALTER TABLE runs ADD COLUMN note TEXT; -- DROP TABLE runs",
        "ALTER TABLE runs ADD COLUMN type BIGINT NOT NULL DEFAULT 0;",
        "ALTER TABLE shards ADD COLUMN n BIGINT NOT NULL UNIQUE;",
        "CREATE INDEX runs_by_note ON runs (note);",
        "CREATE UNIQUE INDEX one_shard ON shards (n);",
        "UPDATE runs SET note = '';",
        "CREATE TRIGGER gone AFTER DELETE ON runs BEGIN DELETE FROM shards; DELETE FROM notes; END;",
        "CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN DELETE FROM a; RETURN NULL; END $$ LANGUAGE plpgsql;",
    ] {
        assert!(seen(fine).iter().all(Option::is_none), "{fine}: {:?}", seen(fine));
    }
    for (bad, why) in [
        ("DROP TABLE runs;", "it drops something"),
        ("DROP INDEX runs_by_note;", "it drops something"),
        ("DELETE FROM runs;", "it deletes rows"),
        ("ALTER TABLE runs\n  DROP COLUMN note;", "it drops something"),
        ("ALTER TABLE runs RENAME COLUMN a TO b;", "it renames something"),
        ("ALTER TABLE runs ALTER COLUMN a SET NOT NULL;", "it changes a column"),
        ("ALTER TABLE ONLY runs ALTER COLUMN a TYPE TEXT;", "it changes a column"),
        (
            "ALTER TABLE runs ADD CONSTRAINT c CHECK (a > 0);",
            "it adds a rule to a table that is there",
        ),
        (
            "ALTER TABLE runs ADD COLUMN a BIGINT CHECK (a > 0);",
            "it adds a rule to a table that is there",
        ),
        (
            "ALTER TABLE runs ADD COLUMN a BIGINT NOT NULL;",
            "it adds a column that must be given",
        ),
        (
            "CREATE UNIQUE INDEX u ON runs(a);",
            "it adds a rule to a table that is there",
        ),
    ] {
        assert_eq!(seen(bad), [Some(why)], "{bad}");
    }
    let two = "CREATE TABLE a (b TEXT);\nDROP TABLE runs;";
    assert_eq!(seen(two), [None, Some("it drops something")]);
}
