//! Archives and exports that did not arrive whole, or are something else: each is refused by name, and nothing changes.

use std::{fs, path::Path};

use super::Machine;

/// Words of libraries, which help nobody.
const NOT_FOR_PEOPLE: [&str; 6] = [
    "EOF while",
    "serde",
    "os error",
    "entire block",
    "panicked",
    "RUST_BACKTRACE",
];

/// The one line with which a command refuses something.
#[track_caller]
fn refused(machine: &Machine, args: &[&str]) -> String {
    let ended = machine.run(args.iter().copied());
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{args:?}: {ended:?}");
    let line = ended.err.trim_end().to_owned();
    assert!(line.starts_with("clifford: ") && !line.contains('\n'), "{line}");
    for words in NOT_FOR_PEOPLE {
        assert!(!line.contains(words), "{args:?}: {line}");
    }
    line
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

/// Checks that an import stored nobody.
#[track_caller]
fn is_empty(machine: &Machine) {
    let status = machine.run(["users", "list", "--json"]).json();
    assert_eq!(status.as_array().map(Vec::len), Some(0), "{status}");
}

#[test]
fn an_archive_that_is_cut_short_anywhere_is_named_so_and_stores_nothing() {
    let from = Machine::asked("remember my garden");
    from.run(["export", "--out", "all.tar"]).succeeds();
    let whole = fs::read(from.path("all.tar")).expect("an archive");
    let to = Machine::new();
    let path = to.path("all.tar");
    for tenth in 1..10 {
        // An archive ends in two blocks of zeros, which nobody needs.
        let end = (whole.len() - 1536) * tenth / 10;
        fs::write(&path, &whole[..end]).expect("a file");
        for trusted in [
            &["import", text(&path), "--trusted"][..],
            &["import", text(&path), "--dry-run"],
        ] {
            let line = refused(&to, trusted);
            let is_said = line.contains("the archive is cut short ") && line.ends_with(": copy it again");
            assert!(is_said, "{end} of {}: {line}", whole.len());
        }
    }
    is_empty(&to);
    fs::write(&path, &whole).expect("a file");
    to.run(["import", text(&path), "--trusted"]).succeeds();
}

#[test]
fn a_damaged_or_foreign_archive_is_refused_and_stores_nothing() {
    let from = Machine::asked("remember my garden");
    from.run(["export", "--out", "all.tar"]).succeeds();
    let whole = fs::read(from.path("all.tar")).expect("an archive");
    let to = Machine::new();
    let path = to.path("all.tar");
    let import = ["import", text(&path), "--from", "clifford", "--trusted"];
    let place = |word: &str| {
        let found = whole.windows(word.len()).position(|bytes| bytes == word.as_bytes());
        found.unwrap_or_else(|| panic!("{word}"))
    };
    let changed = |at: usize, to: &str| {
        let mut bytes = whole.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    let version = place("\"version\":") + "\"version\":".len();
    let cases = [
        (Vec::new(), "it is no archive that `clifford export` has written"),
        (
            b"\x7fELF and so on".to_vec(),
            "it is no archive that `clifford export` has written",
        ),
        (
            changed(version, "9"),
            "it has version 9 of the format, and this Clifford reads up to ",
        ),
        (changed(place("garden"), "gardem"), "` is damaged"),
        (changed(place("records/0"), "recordz/0"), "the archive is damaged: "),
    ];
    for (bytes, expected) in cases {
        fs::write(&path, bytes).expect("a file");
        let line = refused(&to, &import);
        assert!(line.contains(expected), "{expected}: {line}");
    }
    let line = refused(&to, &["import", "/dev/null"]);
    assert!(line.contains("neither a file nor a directory"), "{line}");
    fs::create_dir(to.path("dir")).expect("a directory");
    let dir = to.path("dir");
    let line = refused(&to, &["import", text(&dir), "--from", "clifford"]);
    assert!(line.ends_with("no archive, but a directory"), "{line}");
    is_empty(&to);
}

#[test]
fn a_backup_that_is_cut_short_or_none_is_refused_and_what_is_there_stays() {
    let machine = Machine::asked("remember my garden");
    let path = machine.path("all.tar");
    machine.run(["backup", text(&path)]).succeeds();
    let whole = fs::read(&path).expect("an archive");
    let before = machine.run(["runs", "list", "--json"]).json();
    for tenth in 0..10 {
        let end = 512 + (whole.len() - 2048) * tenth / 10;
        fs::write(&path, &whole[..end]).expect("a file");
        let line = refused(&machine, &["restore", text(&path), "--force"]);
        let is_said = line.contains("is no whole backup: it is cut short ") && line.ends_with(": copy it again");
        assert!(is_said, "{end} of {}: {line}", whole.len());
    }
    for bytes in [&b""[..], b"PK\x03\x04 and so on", &[0; 4096]] {
        fs::write(&path, bytes).expect("a file");
        let line = refused(&machine, &["restore", text(&path), "--force"]);
        assert!(line.ends_with("`clifford backup` has not written it"), "{line}");
    }
    assert_eq!(machine.run(["runs", "list", "--json"]).json(), before);
    let left: Vec<_> = fs::read_dir(machine.path("data/clifford"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("restore"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn damaged_empty_and_odd_exports_of_others_are_refused_with_their_place() {
    let machine = Machine::asked("hello");
    let before = machine.run(["search", "qwort", "--user", "you", "--json"]).out;
    let deep = "[".repeat(200_000);
    let files = [
        ("result.json", String::new()),
        ("result.json", "{".to_owned()),
        (
            "result.json",
            r#"{"name": "Bob", "type": "personal_chat", "id": 8, "messages": [{"id": 2, "ty"#.to_owned(),
        ),
        (
            "result.json",
            r#"{"name": "Bob", "type": "personal_chat", "id": 8, "messages": 7}"#.to_owned(),
        ),
        ("result.json", deep.clone()),
        ("hermes.jsonl", r#"{"role": "user", "content": "qwort"#.to_owned()),
        ("hermes.jsonl", deep.clone()),
        (
            "openclaw.jsonl",
            format!(
                "{}\n{deep}",
                r#"{"type":"session","id":"x","timestamp":"2026-01-01T00:00:00Z"}"#
            ),
        ),
    ];
    for (name, content) in files {
        machine.write(name, &content);
        let path = machine.path(name);
        let from = match name {
            "result.json" => "telegram",
            "hermes.jsonl" => "hermes",
            _ => "openclaw",
        };
        refused(&machine, &["import", text(&path), "--from", from, "--for", "you"]);
    }
    for (dir, file, content) in [
        ("package", "messages/index.json", "{"),
        ("package", "messages/index.json", "[]"),
        ("hermes", "state.db", "no database"),
        ("hermes", "state.db", ""),
    ] {
        fs::remove_dir_all(machine.path(dir)).ok();
        let path = machine.path(dir).join(file);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(&path, content).expect("a file");
        let path = machine.path(dir);
        let ended = machine.run(["import", text(&path), "--for", "you"]);
        for words in NOT_FOR_PEOPLE {
            assert!(!ended.err.contains(words), "{dir}: {ended:?}");
        }
        assert!(ended.code <= 1, "{dir}: {ended:?}");
    }
    assert_eq!(machine.run(["search", "qwort", "--user", "you", "--json"]).out, before);
}
