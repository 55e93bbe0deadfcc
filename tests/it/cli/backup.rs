//! `clifford backup` and `clifford restore`.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use clifford_core::settings::Database;
use clifford_fakes::postgres::Cluster;
use clifford_store::{Db, DbOptions};
use serde_json::Value;

use super::Machine;

const FILE: &str = "files/ab/0192cafe0000700080000000000000ab";

/// A machine with a run, a key and a file.
fn lived_in() -> Machine {
    let machine = Machine::asked("what is 17 * 23?");
    let data = machine.path("data/clifford");
    fs::write(data.join("secret.key"), "qkeyword").expect("a key");
    fs::create_dir_all(data.join("files/ab")).expect("a directory");
    fs::write(data.join(FILE), "a file's text").expect("a file");
    fs::write(data.join("files/ab/half.part"), "half").expect("a file");
    machine
}

fn runs(machine: &Machine) -> Value {
    machine.run(["runs", "list", "--json"]).json()
}

fn text(machine: &Machine, name: &str) -> String {
    fs::read_to_string(machine.path("data/clifford").join(name)).expect(name)
}

/// The names in a directory.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a directory");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

async fn held(machine: &Machine) -> Db {
    let options = DbOptions {
        url: format!("sqlite:{}", machine.database().display()),
        section: Database::default(),
        exclusive: true,
        migrate: false,
    };
    Db::open(&options).await.expect("opens")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_bot_at_work_makes_the_same_bot_elsewhere() {
    let machine = lived_in();
    let at_work = held(&machine).await;
    let archive = machine.path("all.tar");
    let archive = archive.to_str().expect("text");
    let written = machine.run(["backup", archive, "--json"]).json();
    assert_eq!(
        (&written["files"], &written["filesInBucket"]),
        (&1.into(), &false.into())
    );
    assert_eq!(
        fs::metadata(archive).expect("it is there").permissions().mode() & 0o777,
        0o600
    );
    machine
        .run(["backup", archive])
        .fails_with(&format!("{archive} exists already: name a new file"));
    machine
        .run(["backup", "-"])
        .fails_with("a backup goes into a file: name one");
    assert_eq!(
        names(machine.path("").as_path()),
        ["all.tar", "data"],
        "nothing else is left"
    );
    let in_use = machine.run(["restore", archive, "--force"]);
    assert!(
        in_use.code == 1 && in_use.err.contains("another process works with"),
        "{in_use:?}"
    );
    at_work.close().await;
    drop(at_work);

    let other = Machine::new();
    let restored = other.run(["restore", archive]).succeeds();
    assert!(restored.contains(" is in place, with 1 file\n"), "{restored}");
    assert_eq!(runs(&other), runs(&machine));
    assert_eq!(
        (text(&other, "secret.key"), text(&other, FILE)),
        ("qkeyword".to_owned(), "a file's text".to_owned())
    );
    assert_eq!(other.run(["db", "check"]).succeeds(), "the database is whole\n");
    assert!(
        !names(&other.path("data/clifford"))
            .iter()
            .any(|name| name.contains("restore"))
    );
}

#[test]
fn what_is_there_is_replaced_by_force_only_and_put_aside() {
    let machine = lived_in();
    machine.run(["backup", "all.tar"]).succeeds();
    let before = runs(&machine);
    machine.run(["ask", "what is 1 + 1?"]).succeeds();
    let data = machine.path("data/clifford");
    fs::write(data.join("secret.key"), "another key").expect("a key");
    machine.run(["restore", "all.tar"]).fails_with(&format!(
        "{} is there already: `clifford restore --force` puts it aside, or name another place with --set data.dir=…",
        machine.database().display()
    ));
    assert_eq!(runs(&machine).as_array().map(Vec::len), Some(2));
    // As a killed restore left it.
    fs::create_dir_all(data.join(".restore-1/files")).expect("a directory");
    let restored = machine.run(["restore", "all.tar", "--force", "--json"]).json();
    assert!(!data.join(".restore-1").exists());
    assert_eq!(
        (runs(&machine), text(&machine, "secret.key")),
        (before, "qkeyword".to_owned())
    );
    let aside = Path::new(restored["aside"][0].as_str().expect("a directory"));
    assert_eq!(names(aside), ["clifford.db", "files", "secret.key"]);
    let old = format!("database.url=sqlite:{}", aside.join("clifford.db").display());
    let old = machine.run(["runs", "list", "--json", "--set", &old]).json();
    assert_eq!(old.as_array().map(Vec::len), Some(2));
}

#[test]
fn a_damaged_backup_changes_nothing() {
    let machine = lived_in();
    machine.run(["backup", "all.tar"]).succeeds();
    let mut bytes = fs::read(machine.path("all.tar")).expect("reads");
    let place = bytes.windows(8).position(|text| text == b"qkeyword").expect("the key");
    bytes[place] = b'T';
    fs::write(machine.path("damaged.tar"), &bytes).expect("writes");
    fs::write(machine.path("short.tar"), &bytes[..bytes.len() / 2]).expect("writes");
    let before = (runs(&machine), names(&machine.path("data/clifford")));
    machine
        .run(["restore", "damaged.tar", "--force"])
        .fails_with("damaged.tar is no whole backup: `secret.key` is damaged");
    let short = machine.run(["restore", "short.tar", "--force"]);
    assert!(
        short.code == 1 && short.err.starts_with("clifford: short.tar is no whole backup: "),
        "{short:?}"
    );
    let mut after = names(&machine.path("data/clifford"));
    after.retain(|name| !name.ends_with(".lock"));
    let (runs_before, mut names_before) = before;
    names_before.retain(|name| !name.ends_with(".lock"));
    assert_eq!((runs(&machine), after), (runs_before, names_before));
}

#[test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
fn a_backup_of_postgresql_goes_into_either_engine() {
    let (Some(url), Some(second)) = (Cluster::shared().database(), Cluster::shared().database()) else {
        return;
    };
    let machine = Machine::new();
    machine.write("bot.toml", &format!("[database]\nurl = \"{url}\"\n"));
    machine.run(["ask", "what is 17 * 23?"]).succeeds();
    machine.run(["backup", "all.tar"]).succeeds();
    let archive = machine.path("all.tar");
    let archive = archive.to_str().expect("text");
    let full = machine.run(["restore", archive, "--force"]);
    assert!(
        full.code == 1 && full.err.contains("nothing was restored: the target is not empty"),
        "{full:?}"
    );
    let on_sqlite = Machine::new();
    on_sqlite.run(["restore", archive]).succeeds();
    let on_postgres = Machine::new();
    on_postgres.write("bot.toml", &format!("[database]\nurl = \"{second}\"\n"));
    on_postgres.run(["restore", archive]).succeeds();
    let asked = runs(&machine);
    assert_eq!(asked[0]["inputText"], "what is 17 * 23?");
    assert_eq!((runs(&on_sqlite), runs(&on_postgres)), (asked.clone(), asked));
}
