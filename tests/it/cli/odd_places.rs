//! Places that are named for a file and hold something else: a directory, a pipe, a socket, or a link to one. Each
//! command says so at once, and leaves what is there where it is.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt, symlink},
        net::UnixListener,
    },
    path::Path,
    process::Command,
};

use super::Machine;

/// The entries there, and the words for them.
const ODD: [(&str, &str); 4] = [
    ("a-directory", "a directory"),
    ("a-pipe", "a pipe"),
    ("a-socket", "a socket"),
    ("a-link", "a pipe"),
];

/// Puts the odd things into a directory. The listener is to be kept.
fn odd(dir: &Path) -> UnixListener {
    fs::create_dir_all(dir.join("a-directory")).expect("a directory");
    fs::write(dir.join("a-directory/letter.txt"), "theirs").expect("a file");
    for pipe in ["a-pipe", "behind"] {
        let made = Command::new("mkfifo").arg(dir.join(pipe)).status().expect("mkfifo");
        assert!(made.success());
    }
    symlink("behind", dir.join("a-link")).expect("a link");
    UnixListener::bind(dir.join("a-socket")).expect("a socket")
}

/// All that stands in a directory and below it: names, kinds, modes and numbers.
fn listed(dir: &Path) -> Vec<(String, u32, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        let about = fs::symlink_metadata(&path).expect("it is there");
        found.push((path.display().to_string(), about.mode(), about.ino()));
        if about.is_dir() {
            found.extend(listed(&path));
        }
    }
    found.sort();
    found
}

#[track_caller]
fn refused(machine: &Machine, args: &[&str], why: &str) {
    let ended = machine.run(args.iter().copied());
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{args:?}: {ended:?}");
    assert!(ended.err.contains(why), "{args:?}: {ended:?}");
    assert_eq!(ended.err.lines().count(), 1, "{args:?}: {ended:?}");
}

#[test]
fn a_database_is_a_file_and_nothing_else_is_taken_for_one_or_moved() {
    let machine = Machine::asked("hello");
    machine.run(["backup", "all.tar"]).succeeds();
    let places = machine.path("places");
    let _listener = odd(&places);
    let before = listed(&places);
    for (name, kind) in ODD {
        let url = format!("sqlite:{}", places.join(name).display());
        let set = format!("database.url={url}");
        let why = format!("{name} is {kind}, and no database can be there: name a file as sqlite:PATH");
        let with = |args: &[&'static str]| -> Vec<String> {
            args.iter()
                .map(|arg| (*arg).to_owned())
                .chain(["--set".to_owned(), set.clone()])
                .collect()
        };
        for args in [
            with(&["db", "status"]),
            with(&["users", "list"]),
            with(&["ask", "hello"]),
            with(&["serve"]),
            vec!["db".into(), "copy".into(), "--to".into(), url.clone()],
            vec![
                "db".into(),
                "copy".into(),
                "--from".into(),
                url.clone(),
                "--to".into(),
                "sqlite:new.db".into(),
            ],
        ] {
            let args: Vec<_> = args.iter().map(String::as_str).collect();
            refused(&machine, &args, &why);
        }
        // A restore moves nothing aside that Clifford has not made.
        let restore = with(&["restore", "all.tar", "--force"]);
        let restore: Vec<_> = restore.iter().map(String::as_str).collect();
        refused(
            &machine,
            &restore,
            &format!(" is {kind}, and is left where it is: restore elsewhere"),
        );
    }
    assert_eq!(listed(&places), before);
}

#[test]
fn a_restore_leaves_what_stands_in_the_place_of_a_part() {
    let machine = Machine::asked("hello");
    machine.run(["backup", "all.tar"]).succeeds();
    for (name, why) in [
        ("secret.key", "secret.key is a pipe, and is left where it is"),
        ("files", "files is no directory, and is left where it is"),
        (
            "restore-in-progress",
            "restore-in-progress is a pipe, and is left where it is",
        ),
        ("clifford.db-wal", "clifford.db-wal is a pipe, and is left where it is"),
        (
            "clifford.db.lock",
            "clifford.db.lock is a pipe, and is left where it is",
        ),
    ] {
        let (data, set) = (machine.path(name), format!("data.dir={}", machine.path(name).display()));
        fs::create_dir(&data).expect("a directory");
        let made = Command::new("mkfifo").arg(data.join(name)).status().expect("mkfifo");
        assert!(made.success());
        let before = listed(&data);
        refused(&machine, &["restore", "all.tar", "--force", "--set", &set], why);
        assert_eq!(listed(&data), before);
    }
    refused(
        &machine,
        &["restore", "data", "--force"],
        "data is a directory: name the archive in it",
    );
}

#[test]
fn a_restore_follows_a_link_to_the_database_and_leaves_the_link() {
    let machine = Machine::asked("what is 17 * 23?");
    machine.run(["backup", "all.tar"]).succeeds();
    let disk = machine.path("disk");
    fs::create_dir(&disk).expect("a directory");
    for end in ["", "-wal", "-shm", ".lock"] {
        let name = format!("clifford.db{end}");
        fs::rename(machine.path("data/clifford").join(&name), disk.join(&name)).unwrap_or_default();
    }
    symlink(disk.join("clifford.db"), machine.database()).expect("a link");
    machine.run(["ask", "what is 1 + 1?"]).succeeds();
    machine.run(["restore", "all.tar", "--force"]).succeeds();
    assert!(
        fs::symlink_metadata(machine.database())
            .expect("it is there")
            .is_symlink()
    );
    let runs = machine.run(["runs", "list", "--json"]).json();
    assert_eq!(runs.as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_written_takes_no_name_that_something_has() {
    let machine = Machine::asked("hello");
    let places = machine.path("places");
    let _listener = odd(&places);
    symlink("nowhere", places.join("to-nothing")).expect("a link");
    let before = listed(&places);
    for name in ODD.iter().map(|odd| odd.0).chain(["to-nothing"]) {
        let place = places.join(name);
        let place = place.to_str().expect("text");
        refused(&machine, &["backup", place], "exists already: name a new file");
        refused(&machine, &["db", "backup", place], "exists already: name a new file");
        refused(&machine, &["export", "--out", place], "exists already: name a new file");
    }
    for (name, kind) in ODD {
        let place = places.join(name);
        let place = place.to_str().expect("text");
        let why = format!("{name} is {kind}, and stays as it is: name a file by --config");
        refused(&machine, &["init", "--yes", "--force", "--config", place], &why);
    }
    assert_eq!(listed(&places), before);
    // A link to a settings file is followed, and stays one.
    fs::write(machine.path("real.toml"), "").expect("a file");
    symlink("real.toml", machine.path("link.toml")).expect("a link");
    machine
        .run(["init", "--yes", "--force", "--config", "link.toml"])
        .succeeds();
    assert!(
        fs::symlink_metadata(machine.path("link.toml"))
            .expect("it is there")
            .is_symlink()
    );
    assert!(fs::metadata(machine.path("real.toml")).expect("it is there").len() > 0);
}
